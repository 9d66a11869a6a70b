import { setTimeout as rest } from 'node:timers/promises';
import { HEADERS } from './bench-chat.ts';
import { type BenchRow, median } from './bench-row.ts';
import { ourServer } from './bench-server.ts';
import { timeBareStart } from './start-bench.ts';

/** What is asked first of a process, and how many starts of a bare Express it may take. */
interface First {
  name: string;
  path: string;
  body: Record<string, unknown>;
  bar: number;
}

const FIRSTS: readonly First[] = [
  {
    ...{ name: 'first picture', path: '/v1/images/generations', bar: 1.5 },
    body: { model: 'svc-image-one', prompt: 'a lighthouse at dusk' },
  },
  {
    ...{ name: 'first voice', path: '/v1/audio/speech', bar: 1.5 },
    body: {
      model: 'svc-voice-one',
      input: 'The boat leaves at nine, so be on time and bring some tea.',
      voice: 'aria',
    },
  },
  {
    ...{ name: 'first clip of 5 s', path: '/v1/videos/generations', bar: 3 },
    body: { model: 'svc-motion-one', prompt: 'a lighthouse at dusk', seconds: 5 },
  },
  {
    ...{ name: 'first song of 120 s', path: '/v1/music/generations', bar: 6 },
    body: { model: 'svc-music-one', prompt: 'a song about the rain', seconds: 120, seed: 7 },
  },
];
const ROUNDS = 7;
/** For so long each process has been up, in milliseconds. */
const UP = 1000;
/** Between two polls, in milliseconds. */
const POLL = 5;

/** From request to file of the first render of a process that has been up for a second, against the start of a bare Express. */
export async function firstRenderBench(): Promise<BenchRow[]> {
  const taken = FIRSTS.map((): number[] => []);
  const starts: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (const [at, first] of FIRSTS.entries()) taken[at]?.push(await firstOf(first));
    starts.push(await timeBareStart());
  }
  const theirs = median(starts);
  return FIRSTS.map(({ name, bar }, at) => {
    const ours = median(taken[at] ?? []);
    const told = { ours: `${ours.toFixed(0)} ms`, theirs: `${theirs.toFixed(0)} ms` };
    return { name: `${name}, in starts of a bare Express`, ...told, ratio: ours / theirs, bar: `<= ${bar}` };
  });
}

async function firstOf({ path, body }: First): Promise<number> {
  const server = await ourServer('--credits', '1000000');
  try {
    await rest(UP);
    const began = performance.now();
    await rendered(`${server.urls[0]}${path}`, body);
    return performance.now() - began;
  } finally {
    await server.close();
  }
}

/** Orders, and polls where the answer is a job. */
async function rendered(url: string, body: Record<string, unknown>): Promise<void> {
  const answer = await fetch(url, { method: 'POST', headers: HEADERS, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
  if (answer.headers.get('content-type')?.startsWith('application/json') !== true) {
    await answer.arrayBuffer();
    return;
  }
  const told = (await answer.json()) as Job & { data?: Job[] };
  let job = told.data?.[0] ?? told;
  while (job.id && (job.status === 'queued' || job.status === 'processing')) {
    await rest(POLL);
    job = (await (await fetch(`${url}/${job.id}`, { headers: HEADERS })).json()) as Job;
  }
  if (job.status !== undefined && job.status !== 'succeeded') throw new Error(`the job is ${job.status}`);
}

interface Job {
  id?: string;
  status?: string;
}
