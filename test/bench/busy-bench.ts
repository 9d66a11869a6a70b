import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import { readConfig } from '../../src/base/config/config.ts';
import { startEmulator } from '../../src/emulator.ts';
import { atMost, type BenchRow, each, median } from './bench-row.ts';
import { CHAT, HEADERS, post, RICH, withServer } from './bench-server.ts';
import { offer } from './steady-load.ts';

const SECONDS = 10;
const WARM = 50;
const ROUNDS = 5;

/** Chat at a fixed rate while all workers render, and how long large bodies and answers hold the event loop. */
export async function busyBench(): Promise<BenchRow[]> {
  const chat = await chatWhileRendering();
  const delays = await each(ROUNDS, largestDelay);
  return [chat, atMost('largest event loop delay, ms, median of 5 (32 MiB in, 10 s clip out)', median(delays), 20)];
}

function chatWhileRendering(): Promise<BenchRow> {
  return withServer(RICH, async ({ url }) => {
    const chats = `${url}/v1/chat/completions`;
    // What a program does for the first time is measured by the start bench.
    await each(WARM, () => post(chats, CHAT));
    await each(40, (n) =>
      post(`${url}/v1/videos/generations`, { prompt: `a road ${n}`, duration: '10s', aspect: '16:9' }),
    );
    const p99 = await offer({ url: chats, headers: HEADERS, body: CHAT, rate: 200, seconds: SECONDS });
    return atMost('chat p99 ms at 200/s while workers render', p99, 25);
  });
}

/** The client runs in a thread of its own, so that only the emulator's work holds this loop. */
const CLIENT = `
  const { workerData, parentPort } = require('node:worker_threads');
  const { url, headers } = workerData;
  const post = (path, body) =>
    fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) }).then((answer) => answer.arrayBuffer());
  const image = 'data:image/png;base64,' + 'A'.repeat(31 * 1048576);
  const part = { type: 'image_url', image_url: { url: image } };
  (async () => {
    await post('/v1/chat/completions', { model: 'svc-rp-mini', messages: [{ role: 'user', content: 'warm' }] });
    await post('/v1/videos/generations', { prompt: 'warm', duration: '10s' });
    parentPort.postMessage('warm');
    for (let n = 0; n < 4; n += 1) {
      await post('/v1/chat/completions', { model: 'svc-rp-mini', messages: [{ role: 'user', content: [part] }] });
      await post('/v1/videos/generations', { prompt: 'warm', duration: '10s' });
    }
    parentPort.postMessage('done');
  })();
`;

/** In milliseconds, of one emulator; the millisecond between two looks is part of it. */
async function largestDelay(): Promise<number> {
  const emulator = await startEmulator(readConfig({ port: 0, ephemeral: true, log: 'silent' }, {}));
  const delays = monitorEventLoopDelay({ resolution: 1 });
  const client = new Worker(CLIENT, { eval: true, workerData: { url: emulator.url, headers: HEADERS } });
  try {
    await once(client, 'message');
    delays.enable();
    await once(client, 'message');
    delays.disable();
    return delays.max / 1e6;
  } finally {
    await client.terminate();
    await emulator.close();
  }
}
