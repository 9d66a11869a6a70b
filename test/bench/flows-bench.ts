import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';
import { CHAT, HEADERS } from './bench-chat.ts';
import { atMost, type BenchRow, median } from './bench-row.ts';
import { type BenchServer, ourServer } from './bench-server.ts';
import { offer } from './steady-load.ts';

const STEPS = [
  { nodeId: 'a', type: 'text', params: { prompt: 'Tell of {{inputs.topic}}.' } },
  { nodeId: 'b', type: 'text', params: { prompt: 'Shorter: {{steps.1.text}}' } },
  { nodeId: 'c', type: 'text', params: { prompt: 'A title for: {{steps.2.text}}' } },
];
const ROUNDS = 60;
const CROWD = 1000;
const CALLERS = 20;
const WARM = 50;

/** The callers have a thread of their own, so that they do not hold whoever measures. */
const CALLING = `
  const http = require('node:http');
  const { workerData, parentPort } = require('node:worker_threads');
  const { hook, CROWD, CALLERS } = workerData;
  const agent = new http.Agent({ keepAlive: true, maxSockets: CALLERS });
  let answered = 0;
  for (let n = 0; n < CROWD; n += 1) {
    const text = JSON.stringify({ topic: 'river ' + n });
    const headers = { 'content-type': 'application/json', 'content-length': text.length };
    http.request(hook, { agent, method: 'POST', headers }, (answer) => {
      if (answer.statusCode !== 202) throw new Error('the hook answered ' + answer.statusCode);
      answered += 1;
      answer.resume();
      if (answered === CROWD) parentPort.postMessage('called');
    }).end(text);
  }
`;

/** A flow of three texts: how soon its end is told, and what a thousand runs at once cost everybody else. */
export async function flowsBench(): Promise<BenchRow[]> {
  const server = await ourServer('--credits', '1000000000');
  const receiver = await startReceiver();
  try {
    const hook = await makeHook(server, receiver.url);
    const latency = await tellTime(hook, receiver);
    return [
      atMost('median ms from hook to delivery, three texts', latency, 25),
      ...(await crowd(server, hook, receiver)),
    ];
  } finally {
    receiver.close();
    await server.close();
  }
}

interface BenchReceiver {
  url: string;
  /** Resolves when so many deliveries have come in all. */
  count(total: number): Promise<void>;
  close(): void;
}

async function startReceiver(): Promise<BenchReceiver> {
  let received = 0;
  const waiting: { total: number; done(): void }[] = [];
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.end();
      received += 1;
      for (const { total, done } of waiting) if (received >= total) done();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    count: (total) => (received >= total ? Promise.resolve() : new Promise((done) => waiting.push({ total, done }))),
    close: () => server.close(),
  };
}

async function makeHook({ urls: [url] }: BenchServer, receiver: string): Promise<string> {
  const { data } = await call(`${url}/_emulator/accounts`);
  await call(`${url}/v1/webhooks`, { url: receiver, events: ['flow.run.succeeded'] });
  const flow = { workspace_id: data[0]?.workspace_id, name: 'Bench', steps: STEPS };
  return (await call(`${url}/_emulator/flows`, flow)).hook_url;
}

interface Answer {
  data: { workspace_id: string }[];
  hook_url: string;
}

async function call(url: string, body?: object): Promise<Answer> {
  const init = body ? { method: 'POST', headers: HEADERS, body: JSON.stringify(body) } : {};
  const answer = await fetch(url, init);
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
  return answer.json() as Promise<Answer>;
}

async function tellTime(hook: string, receiver: BenchReceiver): Promise<number> {
  const times: number[] = [];
  for (let n = 1; n <= ROUNDS; n += 1) {
    const began = performance.now();
    await call(hook, { topic: `road ${n}` });
    await receiver.count(n);
    times.push(performance.now() - began);
  }
  return median(times);
}

async function crowd(server: BenchServer, hook: string, receiver: BenchReceiver): Promise<BenchRow[]> {
  // What a program does for the first time is measured by the start bench.
  for (let n = 0; n < WARM; n++) await call(`${server.urls[0]}/v1/chat/completions`, CHAT);
  const idle = server.memory();
  const readings: number[] = [];
  const timer = setInterval(() => readings.push(server.memory()), 20);
  const load = offer({
    url: `${server.urls[0]}/v1/chat/completions`,
    headers: HEADERS,
    ...{ body: CHAT, rate: 200, seconds: 8 },
  });
  const began = performance.now();
  const callers = new Worker(CALLING, { eval: true, workerData: { hook, CROWD, CALLERS } });
  await once(callers, 'message');
  await receiver.count(ROUNDS + CROWD);
  const seconds = (performance.now() - began) / 1000;
  const p99 = await load;
  clearInterval(timer);
  return [
    atMost('memory above idle with 1,000 runs, MiB', Math.max(...readings) - idle, 150),
    atMost('chat p99 ms at 200/s with 1,000 runs', p99, 25),
    atMost('seconds until all 1,000 are told', seconds, 8),
  ];
}
