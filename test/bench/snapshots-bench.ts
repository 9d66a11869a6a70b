import { HEADERS, KEY } from './bench-chat.ts';
import { atMost, type BenchRow, median } from './bench-row.ts';
import { type BenchServer, ourServer } from './bench-server.ts';

const JOBS = 1000;
const OBJECTS = 1000;
const ROUNDS = 9;
const AT_ONCE = 16;
const SMALL = 1024;
const LARGE = 262_144;

/** Milliseconds that each took, round by round. */
interface Times {
  save: number[];
  reset: number[];
  restore: number[];
}

/** Saving, resetting and restoring 1,000 jobs and 1,000 objects, and whether it takes longer when these are large. */
export async function snapshotsBench(): Promise<BenchRow[]> {
  const small = await timesWith(SMALL);
  const large = await timesWith(LARGE);
  return [
    atMost('reset of 1,000 jobs and objects, ms', median(small.reset), 50, 0),
    atMost('snapshot of 1,000 jobs and objects, ms', median(small.save), 100, 0),
    atMost('restore of 1,000 jobs and objects, ms', median(small.restore), 150, 0),
    growth('reset, files of 256 KiB against 1 KiB', large.reset, small.reset),
    growth('snapshot, files of 256 KiB against 1 KiB', large.save, small.save),
    growth('restore, files of 256 KiB against 1 KiB', large.restore, small.restore),
  ];
}

async function timesWith(bytes: number): Promise<Times> {
  const server = await ourServer();
  const times: Times = { save: [], reset: [], restore: [] };
  try {
    await fill(server, bytes);
    for (let round = 0; round < ROUNDS; round += 1) {
      times.save.push(await timed(server, '/snapshots', { name: 'bench' }));
      times.reset.push(await timed(server, '/reset'));
      times.restore.push(await timed(server, '/snapshots/bench/restore'));
    }
    return times;
  } finally {
    await server.close();
  }
}

async function timed({ urls: [url] }: BenchServer, path: string, body?: object): Promise<number> {
  const began = performance.now();
  const answer = await fetch(`${url}/_emulator${path}`, {
    method: 'POST',
    ...(body && {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }),
  });
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`${path} was answered with ${answer.status}`);
  return performance.now() - began;
}

/** The same picture over and over is rendered once; every object has bytes of its own. */
async function fill({ urls: [url] }: BenchServer, bytes: number): Promise<void> {
  const picture = JSON.stringify({ prompt: 'a pier', response_format: 'url' });
  await many(JOBS, () =>
    fetch(`${url}/v1/images/generations`, {
      method: 'POST',
      headers: HEADERS,
      body: picture,
    }),
  );
  await many(OBJECTS, (n) => {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(bytes).fill(n % 251), `${n}`]), `${n}.bin`);
    const order = { method: 'POST', headers: KEY, body: form };
    return fetch(`${url}/v1/storage/objects`, order);
  });
}

async function many(count: number, send: (n: number) => Promise<Response>): Promise<void> {
  let sent = 0;
  const one = async () => {
    while (sent < count) {
      sent += 1;
      const answer = await send(sent);
      await answer.arrayBuffer();
      if (!answer.ok) throw new Error(`the bench could not be filled: ${answer.status}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
}

function growth(name: string, large: readonly number[], small: readonly number[]): BenchRow {
  const [ours, theirs] = [median(large), median(small)];
  return {
    name,
    ours: `${ours.toFixed(0)} ms`,
    theirs: `${theirs.toFixed(0)} ms`,
    ratio: ours / theirs,
    bar: '<= 1.5',
  };
}
