import { setTimeout as pause } from 'node:timers/promises';
import { against, type BenchRow } from './bench-row.ts';
import { type BenchServer, bareServer, CHAT, call, during, HEADERS, KEY, RICH, withServer } from './bench-server.ts';
import { flood } from './bench-tools.ts';

/** Milliseconds from the start to the idle measurement, and to the one after a minute without a render. */
const IDLE = 10_000;
const RESTED = 62_000;

/** Compares resident memory with Express: idle, warm, rested, after 50,000 chats, during an upload. Takes 90 seconds. */
export function memoryBench(): Promise<BenchRow[]> {
  return withServer([...RICH, '--no-warm'], (cold) => withServer(RICH, (warm) => compare(cold, warm)));
}

async function compare(cold: BenchServer, warm: BenchServer): Promise<BenchRow[]> {
  await Promise.all([cold, warm].map(visit));
  await pause(IDLE);
  const [idleCold, idleWarm] = [cold.memory(), warm.memory()];
  const body = JSON.stringify(CHAT);
  const answer = await fetch(`${cold.url}/v1/chat/completions`, { method: 'POST', headers: HEADERS, body });
  return during(await bareServer(Buffer.from(await answer.arrayBuffer()), []), async (plain) => {
    await visit(plain);
    await pause(IDLE);
    const theirs = plain.memory();
    await pause(RESTED - 2 * IDLE);
    const rested = warm.memory();
    for (const { url } of [cold, plain]) {
      const chats = { url: `${url}/v1/chat/completions`, headers: HEADERS, body };
      await flood({ ...chats, amount: 50_000, connections: 64 });
    }
    const busy = { ours: cold.memory(), theirs: plain.memory() };
    const before = warm.memory();
    const peak = await uploadPeak(warm);
    const row = (what: string, ours: number, bar: string) =>
      against(`memory ${what}, MiB, against Express`, { ours, theirs, bar });
    return [
      row('idle without the warm renderer', idleCold, '<= 1.25'),
      row('idle with it', idleWarm, '<= 2'),
      row('after a minute without a render', rested, '<= 1.25'),
      against('memory after 50,000 chats, MiB, against Express', { ...busy, bar: '<= 1.05' }),
      against('memory above idle during a 100 MB upload, MiB', { ours: peak - before, theirs: 60, bar: '<= 1' }),
    ];
  });
}

function visit({ url }: BenchServer): Promise<void> {
  return call(`${url}/v1/models`);
}

async function uploadPeak({ url, memory }: BenchServer): Promise<number> {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(100 * 1_048_576)]), 'large.bin');
  const readings: number[] = [];
  const timer = setInterval(() => readings.push(memory()), 5);
  const answer = await fetch(`${url}/v1/storage/objects`, { method: 'POST', headers: KEY, body: form });
  clearInterval(timer);
  if (answer.status !== 200) throw new Error(`the upload was answered ${answer.status}`);
  return Math.max(...readings);
}
