import { rm } from 'node:fs/promises';
import path from 'node:path';
import { HEADERS } from './bench-chat.ts';
import { benchFolder } from './bench-folder.ts';
import type { BenchRow } from './bench-row.ts';
import { type WatchedServer, watchedServer } from './watched-server.ts';

/** In milliseconds: what the export of a trace may hold. */
const MOST_MS = 250;
const MOST_MIB = 200;
/** More requests than a trace has room for, each as long as it is kept. */
const REQUESTS = 4000;
const AT_ONCE = 8;
const TIMES = 3;

const line = (text: string) => ({ at: 0, from: 'out', text });

const TRACES: Record<string, object | undefined> = {
  'a trace of a full record': undefined,
  'the same, 100 secrets': { secrets: Array.from({ length: 100 }, (_, n) => `s3cret-${n}-of-the-bench`) },
  'the same, 1,000 secrets of 200 characters': {
    secrets: Array.from({ length: 1000 }, (_, n) => `${n}`.padEnd(200, `${n}-secret-`)),
  },
  'the same, a secret of four backslashes and a line of 400': {
    secrets: ['\\\\\\\\server\\share'],
    output: [line('\\'.repeat(400))],
  },
  'the same, 19,000 lines of output': { output: Array.from({ length: 19_000 }, () => line('word '.repeat(300))) },
};

/** The longest that the event loop is held by a trace of a record that is full, and what it takes above idle. */
export async function traceHolds(wanted: string): Promise<BenchRow[]> {
  const traces = Object.entries(TRACES).filter(([name]) => name.includes(wanted));
  if (traces.length === 0) return [];
  const folder = benchFolder();
  const server = await watchedServer(path.join(folder, 'data'), '--credits', '1000000');
  try {
    await fill(server);
    const rows: BenchRow[] = [];
    for (const [name, order] of traces) rows.push(...(await traceRows(server, name, order)));
    return rows;
  } finally {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function fill({ url, seen }: WatchedServer): Promise<void> {
  let left = REQUESTS;
  const ask = async () => {
    while (left > 0) {
      left -= 1;
      const content = `${left} ${'Where does the path lead? '.repeat(630)}`;
      const body = JSON.stringify({ model: 'svc-rp-mini', messages: [{ role: 'user', content }] });
      const answer = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers: HEADERS, body });
      await answer.arrayBuffer();
      if (!answer.ok) throw new Error(`a chat was answered ${answer.status}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, ask));
  await fetch(`${url}/_emulator/wait?for=idle&timeout=60`);
  await seen();
}

async function traceRows({ url, seen }: WatchedServer, name: string, order: object | undefined): Promise<BenchRow[]> {
  const holds: number[] = [];
  const growths: number[] = [];
  let bytes = 0;
  const began = performance.now();
  for (let time = 0; time < TIMES; time += 1) {
    const idle = await seen();
    bytes = await trace(url, order);
    const { milliseconds, peak } = await seen();
    holds.push(milliseconds);
    growths.push(peak - idle.rss);
  }
  const seconds = (performance.now() - began) / TIMES / 1000;
  const [held, grown] = [Math.min(...holds), Math.max(...growths)];
  return [
    {
      name,
      ours: `${held.toFixed(0)} ms`,
      theirs: `${MOST_MS} ms (${seconds.toFixed(1)} s, ${(bytes / 1_048_576).toFixed(1)} MiB)`,
      ratio: held / MOST_MS,
      bar: '<= 1',
    },
    {
      name: `${name}, memory above idle`,
      ours: `${grown.toFixed(0)} MiB`,
      theirs: `${MOST_MIB} MiB`,
      ratio: grown / MOST_MIB,
      bar: '<= 1',
    },
  ];
}

/** Answers how long the page is, in bytes. */
async function trace(url: string, order: object | undefined): Promise<number> {
  const posted = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(order) };
  const answer = await fetch(`${url}/_emulator/trace`, order && posted);
  if (!answer.ok) throw new Error(`the trace was answered ${answer.status}: ${await answer.text()}`);
  let bytes = 0;
  for await (const chunk of answer.body ?? []) bytes += chunk.length;
  return bytes;
}
