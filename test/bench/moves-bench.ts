import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { type BenchRow, median } from './bench-row.ts';
import { type BenchServer, ourServer } from './bench-server.ts';

const DUE = 10_000;
const ROUNDS = 3;
const WAITS = 500;
const AT_ONCE = 16;
/** What a tick of the processor times in /proc is, in milliseconds. */
const TICK = 10;
const HEADERS = {
  authorization: 'Bearer svc_sk_local_emulator',
  'content-type': 'application/json',
};

interface Answered {
  id?: string;
  data?: { status: string }[];
}

/** A clock that is moved over 10,000 jobs, each due at a time of its own; and 500 who wait while nothing happens. */
export async function movesBench(): Promise<BenchRow[]> {
  const server = await ourServer('--credits', '1000000000');
  try {
    await call(server, 'PUT', '/_emulator/clock', { frozen: true });
    const times = [];
    for (let round = 0; round < ROUNDS; round += 1) times.push(await moved(server));
    return [
      {
        name: 'advance over 10,000 due jobs, ms',
        ours: median(times).toFixed(0),
        theirs: 'at most 1000',
        ratio: median(times) / 1000,
        bar: '<= 1',
      },
      await waited(server),
    ];
  } finally {
    await server.close();
  }
}

/** The same clip over and over is rendered once. */
async function moved(server: BenchServer): Promise<number> {
  const clip = { model: 'vid_max5havc', resolution: '480p' };
  let next = 0;
  const order = async () => {
    while (next < DUE) {
      next += 1;
      const prompt = `a pier [[slow:${next}]]`;
      await call(server, 'POST', '/v1/videos/generations', { ...clip, prompt });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, order));
  await quiet(server);
  const began = performance.now();
  await call(server, 'POST', '/_emulator/clock/advance', { seconds: DUE });
  const took = performance.now() - began;
  const jobs = await call(server, 'GET', '/_emulator/jobs?limit=1000');
  const isDone = jobs.data?.every(({ status }) => status === 'succeeded');
  if (!isDone) throw new Error('the clock was moved, and a job is open');
  return took;
}

async function waited(server: BenchServer): Promise<BenchRow> {
  await call(server, 'PUT', '/_emulator/progression', { mode: 'manual' });
  const order = { model: 'vid_max5havc', prompt: 'a pier', resolution: '480p' };
  const { id } = await call(server, 'POST', '/v1/videos/generations', order);
  await quiet(server);
  const kinds = [`job:${id}`, 'event:flow.run.failed', 'delivery:flow.run.failed', 'idle'];
  const waits = Array.from({ length: WAITS }, (_, n) =>
    fetch(`${server.urls[0]}/_emulator/wait?timeout=600&for=${kinds[n % kinds.length]}`).then((answer) =>
      answer.arrayBuffer(),
    ),
  );
  const ended = Promise.allSettled(waits);
  await quiet(server);
  const before = processorTime(server);
  await pause(1000);
  const spent = processorTime(server) - before;
  await call(server, 'POST', '/_emulator/reset');
  await ended;
  return {
    name: 'processor time of 500 idle waits, ms in a second',
    ours: spent.toFixed(0),
    theirs: `at most ${TICK}, a tick`,
    ratio: spent / TICK,
    bar: '<= 1',
  };
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

async function call(server: BenchServer, method: string, path: string, body?: object): Promise<Answered> {
  const init = { method, headers: HEADERS, ...(body && { body: JSON.stringify(body) }) };
  const answer = await fetch(server.urls[0] + path, init);
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  return answer.status === 204 ? {} : ((await answer.json()) as Answered);
}
