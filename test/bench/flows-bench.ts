import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';
import { atMost, type BenchRow, each, median, timed } from './bench-row.ts';
import { type BenchServer, CHAT, call, HEADERS, post, RICH, withServer } from './bench-server.ts';
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

/** The callers have a thread of their own, so that they do not hold the one that measures. */
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

/** A flow of three texts: how soon its end is reported, and what a thousand runs at once cost everybody else. */
export function flowsBench(): Promise<BenchRow[]> {
  return withServer(RICH, async (server) => {
    const receiver = await startReceiver();
    try {
      const hook = await makeHook(server, receiver.url);
      const times = await each(ROUNDS, (n) =>
        timed(async () => {
          await post(hook, { topic: `road ${n + 1}` });
          await receiver.count(n + 1);
        }),
      );
      const latency = atMost('median ms from hook to delivery, three texts', median(times), 25);
      return [latency, ...(await crowd(server, hook, receiver))];
    } finally {
      receiver.close();
    }
  });
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

async function makeHook({ url }: BenchServer, receiver: string): Promise<string> {
  const { data } = await call<{ data: { workspace_id: string }[] }>(`${url}/_emulator/accounts`);
  await post(`${url}/v1/webhooks`, { url: receiver, events: ['flow.run.succeeded'] });
  const flow = { workspace_id: data[0]?.workspace_id, name: 'Bench', steps: STEPS };
  return (await post<{ hook_url: string }>(`${url}/_emulator/flows`, flow)).hook_url;
}

async function crowd({ url, memory }: BenchServer, hook: string, receiver: BenchReceiver): Promise<BenchRow[]> {
  const chats = `${url}/v1/chat/completions`;
  // What a program does for the first time is measured by the start bench.
  await each(WARM, () => post(chats, CHAT));
  const idle = memory();
  const readings: number[] = [];
  const timer = setInterval(() => readings.push(memory()), 20);
  const load = offer({ url: chats, headers: HEADERS, body: CHAT, rate: 200, seconds: 8 });
  const milliseconds = await timed(async () => {
    await once(new Worker(CALLING, { eval: true, workerData: { hook, CROWD, CALLERS } }), 'message');
    await receiver.count(ROUNDS + CROWD);
  });
  const p99 = await load;
  clearInterval(timer);
  return [
    atMost('memory above idle with 1,000 runs, MiB', Math.max(...readings) - idle, 150),
    atMost('chat p99 ms at 200/s with 1,000 runs', p99, 25),
    atMost('seconds until all 1,000 are delivered', milliseconds / 1000, 8),
  ];
}
