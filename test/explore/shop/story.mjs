// Ann buys one song, and looks at her shop until it has come, or her credits are back.
import { setTimeout as sleep } from 'node:timers/promises';

const shop = `http://127.0.0.1:${process.env.PORT}`;

async function ask(path, body) {
  for (let turn = 0; turn < 40; turn += 1) {
    try {
      const response = await fetch(shop + path, body && { method: 'POST', body: JSON.stringify(body) });
      return await response.json();
    } catch {
      await sleep(50);
    }
  }
  throw new Error('The shop does not answer.');
}

const order = { idem: 'click-1', user: 'ann', prompt: 'a slow song about the rain' };
await ask('/orders', order);
for (let turn = 0; turn < 300; turn += 1) {
  const { users, orders } = await ask('/state');
  if (orders.length > 0 && orders.every(({ done }) => done)) {
    const delivered = orders
      .flatMap(({ takes }) => takes)
      .filter(({ state, sha }) => state === 'delivered' && sha).length;
    const { balance } = users[0];
    if (balance !== 20 - 3 * delivered) throw new Error(`Ann has ${balance} credits and ${delivered} takes.`);
    process.exit(0);
  }
  await sleep(20);
}
throw new Error('The song did not come, and neither did the credits.');
