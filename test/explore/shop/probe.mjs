const response = await fetch(`http://127.0.0.1:${process.env.PORT}/state`);
console.log(await response.text());
