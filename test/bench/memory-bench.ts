import { setTimeout as pause } from 'node:timers/promises';
import autocannon from 'autocannon';
import { CHAT, HEADERS, KEY } from './bench-chat.ts';
import type { BenchRow } from './bench-row.ts';
import { type BenchServer, bareServer, ourServer } from './bench-server.ts';

const BODY = JSON.stringify(CHAT);

/** How long after its ready line a process is looked at, in milliseconds, and how long after the last render. */
const IDLE = 10_000;
const RESTED = 62_000;

/** Resident memory of the process tree against a bare Express: idle, warm, rested, after 50,000 chats. Takes 90 seconds. */
export async function memoryBench(): Promise<BenchRow[]> {
  const rich = ['--credits', '1000000000'];
  const cold = await ourServer(...rich, '--no-warm');
  const warm = await ourServer(...rich);
  const sides = [cold, warm];
  try {
    await Promise.all(sides.map(visit));
    await pause(IDLE);
    const ours = { cold: cold.memory(), warm: warm.memory() };
    const plain = await bareServer(await chatAnswer(cold), []);
    sides.push(plain);
    await visit(plain);
    await pause(IDLE);
    const idle = { ...ours, theirs: plain.memory() };
    await pause(RESTED - 2 * IDLE);
    const rested = warm.memory();
    const rows = [
      row('memory idle without the warm renderer, MiB, against Express', idle.cold, idle.theirs, '<= 1.25'),
      row('memory idle with it, MiB, against Express', idle.warm, idle.theirs, '<= 2'),
      row('memory after a minute without a render, MiB, against Express', rested, idle.theirs, '<= 1.25'),
    ];
    await chats(cold);
    await chats(plain);
    const busy = [cold.memory(), plain.memory()] as const;
    rows.push(row('memory after 50,000 chats, MiB, against Express', ...busy, '<= 1.05'));
    const before = warm.memory();
    const peak = await uploadPeak(warm);
    rows.push(row('memory above idle during a 100 MB upload, MiB', peak - before, 60, '<= 1'));
    return rows;
  } finally {
    await Promise.all(sides.map((side) => side.close()));
  }
}

async function visit({ urls: [url] }: BenchServer): Promise<void> {
  const answer = await fetch(`${url}/v1/models`, { headers: KEY });
  await answer.arrayBuffer();
}

async function chatAnswer({ urls: [url] }: BenchServer): Promise<Buffer> {
  const answer = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers: HEADERS, body: BODY });
  return Buffer.from(await answer.arrayBuffer());
}

async function chats({ urls: [url] }: BenchServer): Promise<void> {
  await autocannon({
    url: `${url}/v1/chat/completions`,
    ...{ connections: 64, amount: 50_000, method: 'POST', body: BODY },
    headers: HEADERS,
  });
}

async function uploadPeak({ urls: [url], memory }: BenchServer): Promise<number> {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(100 * 1_048_576)]), 'large.bin');
  const readings: number[] = [];
  const timer = setInterval(() => readings.push(memory()), 5);
  const answer = await fetch(`${url}/v1/storage/objects`, { method: 'POST', headers: KEY, body: form });
  clearInterval(timer);
  if (answer.status !== 200) throw new Error(`the upload was answered with ${answer.status}`);
  return Math.max(...readings);
}

function row(name: string, ours: number, theirs: number, bar: string): BenchRow {
  return { name, ours: ours.toFixed(0), theirs: theirs.toFixed(0), ratio: ours / theirs, bar };
}
