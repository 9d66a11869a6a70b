import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export interface SteadyLoad {
  url: string;
  headers: Record<string, string>;
  body: object;
  /** Requests a second, evenly spaced, sent whether or not those before were answered. */
  rate: number;
  seconds: number;
}

/** Each request is timed from when it was due, so that one which was sent late counts as late. */
const CALLER = `
  const http = require('node:http');
  const { workerData, parentPort } = require('node:worker_threads');
  const { url, headers, body, rate, seconds } = workerData;
  const agent = new http.Agent({ keepAlive: true });
  const text = JSON.stringify(body);
  const times = [];
  const began = performance.now();
  const total = rate * seconds;
  let sent = 0;
  const send = (due) => {
    const request = http.request(url, { agent, method: 'POST', headers: { ...headers, 'content-length': Buffer.byteLength(text) } });
    request.on('error', (error) => { throw error; });
    request.on('response', (response) => response.resume().on('end', () => {
      if (response.statusCode !== 200) throw new Error('answered ' + response.statusCode);
      times.push(performance.now() - due);
      if (times.length === total) parentPort.postMessage(times);
    }));
    request.end(text);
  };
  const dueAt = (n) => began + (n * 1000) / rate;
  const go = () => {
    for (; sent < total && dueAt(sent) <= performance.now(); sent += 1) send(dueAt(sent));
    if (sent < total) setTimeout(go, Math.max(0, dueAt(sent) - performance.now()));
  };
  go();
`;

/** Offers requests at a fixed rate from a thread of its own; answers the 99th percentile of their times, in milliseconds. */
export async function offer(load: SteadyLoad): Promise<number> {
  const caller = new Worker(CALLER, { eval: true, workerData: load });
  const [times] = (await once(caller, 'message')) as [number[]];
  await caller.terminate();
  times.sort((a, b) => a - b);
  return times[Math.floor(times.length * 0.99)] ?? 0;
}
