import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { against, atMost, type BenchRow, each, median, medians, timed } from './bench-row.ts';
import { type BenchServer, call, KEY, many, post, RICH, withServer } from './bench-server.ts';

const DUE = 10_000;
const WAITS = 500;
/** What a tick of the processor times in /proc is, in milliseconds. */
const TICK = 10;
const CLIP = { model: 'vid_max5havc', resolution: '480p', prompt: 'a pier' };

/** A clock that is moved over 10,000 jobs, each due at a time of its own; and 500 who wait while nothing happens. */
export function movesBench(): Promise<BenchRow[]> {
  return withServer(RICH, async (server) => {
    await call(`${server.url}/_emulator/clock`, { method: 'PUT', body: { frozen: true } });
    const times = await each(3, () => moved(server));
    return [atMost('advance over 10,000 due jobs, ms', median(times), 1000, 0), await waited(server)];
  });
}

/** The same clip over and over is rendered once. */
async function moved(server: BenchServer): Promise<number> {
  const { url } = server;
  await many(DUE, (n) => post(`${url}/v1/videos/generations`, { ...CLIP, prompt: `a pier [[slow:${n}]]` }));
  await quiet(server);
  const took = await timed(() => post(`${url}/_emulator/clock/advance`, { seconds: DUE }));
  const { data } = await call<{ data: { status: string }[] }>(`${url}/_emulator/jobs?limit=1000`);
  if (data.some(({ status }) => status !== 'succeeded')) throw new Error('the clock was moved, and a job is open');
  return took;
}

async function waited(server: BenchServer): Promise<BenchRow> {
  const { url } = server;
  await call(`${url}/_emulator/progression`, { method: 'PUT', body: { mode: 'manual' } });
  const { id } = await post<{ id: string }>(`${url}/v1/videos/generations`, CLIP);
  await quiet(server);
  const kinds = [`job:${id}`, 'event:flow.run.failed', 'delivery:flow.run.failed', 'idle'];
  const waits = Array.from({ length: WAITS }, (_, n) =>
    fetch(`${url}/_emulator/wait?timeout=600&for=${kinds[n % kinds.length]}`).then((answer) => answer.arrayBuffer()),
  );
  const ended = Promise.allSettled(waits);
  await quiet(server);
  const before = processorTime(server);
  await pause(1000);
  const spent = processorTime(server) - before;
  await post(`${url}/_emulator/reset`);
  await ended;
  return atMost('processor time of 500 idle waits, ms in a second', spent, TICK, 0);
}

/** Resolves when nothing has been done for a while. */
async function quiet(server: BenchServer): Promise<void> {
  for (let last = -1; last !== processorTime(server); await pause(300)) {
    last = processorTime(server);
    await pause(300);
  }
}

/** Milliseconds that the process has run, in user and kernel mode. */
function processorTime({ child }: BenchServer): number {
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK;
}

const ROUNDS = 9;
const ROWS = 1000;
/** Milliseconds that a change of a thousand jobs and a thousand objects may take. */
const CHANGES = { reset: 50, snapshot: 100, restore: 150 };
type Change = keyof typeof CHANGES;

/** Saving, resetting and restoring, and whether it takes longer when the objects are large. */
export async function snapshotsBench(): Promise<BenchRow[]> {
  const [small, large] = [await timesWith(1024), await timesWith(262_144)];
  const changes = Object.entries(CHANGES) as [Change, number][];
  return [
    ...changes.map(([name, most]) => atMost(`${name} of 1,000 jobs and objects, ms`, small[name], most, 0)),
    ...changes.map(([name]) => {
      const figures = { ours: large[name], theirs: small[name], bar: '<= 1.5', unit: ' ms' };
      return against(`${name}, files of 256 KiB against 1 KiB`, figures);
    }),
  ];
}

function timesWith(bytes: number): Promise<Record<Change, number>> {
  return withServer([], async (server) => {
    await fill(server, bytes);
    const control = `${server.url}/_emulator`;
    return medians(
      {
        snapshot: () => post(`${control}/snapshots`, { name: 'bench' }),
        reset: () => post(`${control}/reset`),
        restore: () => post(`${control}/snapshots/bench/restore`),
      },
      ROUNDS,
      0,
    );
  });
}

/** The same picture over and over is rendered once; every object has bytes of its own. */
async function fill({ url }: BenchServer, bytes: number): Promise<void> {
  await many(ROWS, () => post(`${url}/v1/images/generations`, { prompt: 'a pier', response_format: 'url' }));
  await many(ROWS, async (n) => {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(bytes).fill(n % 251), `${n}`]), `${n}.bin`);
    const answer = await fetch(`${url}/v1/storage/objects`, { method: 'POST', headers: KEY, body: form });
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`an upload was answered ${answer.status}`);
  });
}
