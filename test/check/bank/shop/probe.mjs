import { get } from 'node:http';

get(`http://127.0.0.1:${process.env.PORT}/state`, (response) => response.pipe(process.stdout));
