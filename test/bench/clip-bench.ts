import { rmSync } from 'node:fs';
import { setTimeout as rest } from 'node:timers/promises';
import { HEADERS } from './bench-chat.ts';
import { benchFolder } from './bench-folder.ts';
import { SUBJECTS } from './bench-pictures.ts';
import type { BenchRow } from './bench-row.ts';
import { ourServer } from './bench-server.ts';
import { type Contest, held } from './contest.ts';
import { type ClipSize, loopedStill, testSource, writeStill } from './plain-media.ts';

/** An order of form 2, and the size that it comes to. */
interface Order {
  name: string;
  model: string;
  resolution: string;
  size: ClipSize;
  /** How many times as fast as the moving and as the still picture. */
  moving: number;
  still: number;
  rounds: number;
}

const [BY_OWN, BY_F, BY_O] = ['svc-motion-one', 'vid_3gbdgau5', 'vid_eh3rnwli'];
export const CLIP_ORDERS: readonly Order[] = [
  {
    ...{ name: '5 s 720p', model: BY_O, resolution: '720p', moving: 10, still: 5, rounds: 9 },
    size: { width: 1280, height: 720, seconds: 5 },
  },
  {
    ...{ name: '10 s 768p', model: BY_OWN, resolution: '768p', moving: 15, still: 10, rounds: 7 },
    size: { width: 1366, height: 768, seconds: 10 },
  },
  {
    ...{ name: '30 s 1080p', model: BY_O, resolution: '1080p', moving: 40, still: 15, rounds: 5 },
    size: { width: 1920, height: 1080, seconds: 30 },
  },
  {
    ...{ name: '15 s 1440p', model: BY_F, resolution: '2k', moving: 30, still: 12, rounds: 5 },
    size: { width: 2560, height: 1440, seconds: 15 },
  },
];
/** Between two polls, in milliseconds. */
const POLL = 5;

/** Clips with prompts not seen before, from POST to the finished job, against ffmpeg: two rows for each order. */
export async function clipBench(orders: readonly Order[] = CLIP_ORDERS): Promise<BenchRow[]> {
  const server = await ourServer('--credits', '1000000000');
  const folder = benchFolder();
  try {
    const contests: Contest[] = [];
    for (const order of orders) {
      contests.push(...(await contestsOf(order, server.urls[0] ?? '', folder)));
    }
    return await held(contests);
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function contestsOf(order: Order, url: string, folder: string): Promise<Contest[]> {
  const { name, size, moving, still, rounds } = order;
  const picture = await writeStill(size, folder);
  const contest = (
    against: string,
    bar: number,
    // The rounds of each contest have prompts of their own.
    { ahead, theirs }: { ahead: number; theirs: Contest['theirs'] },
  ): Contest => ({
    ...{ name: `${name}, POST to finished job, ${against}`, bar, warm: 14, warmTheirs: 1, rounds, theirs },
    ours: (round) => finished(url, order, round + ahead),
  });
  return [
    contest('testsrc2', moving, { ahead: 7, theirs: () => testSource(size, folder) }),
    contest('looped still', still, {
      ahead: 70,
      theirs: () => loopedStill(picture, size.seconds, folder),
    }),
  ];
}

/** Orders a clip and polls its job until it is final; throws unless it succeeded. */
async function finished(url: string, order: Order, round: number): Promise<void> {
  const { model, resolution, size } = order;
  const prompt = `${SUBJECTS[round % SUBJECTS.length]}, clip ${round}`;
  const body = JSON.stringify({ model, prompt, resolution, seconds: size.seconds });
  const path = `${url}/v1/videos/generations`;
  const ordered = await read(fetch(path, { method: 'POST', headers: HEADERS, body }));
  let { status } = ordered;
  while (status === 'queued' || status === 'processing') {
    await rest(POLL);
    ({ status } = await read(fetch(`${path}/${ordered.id}`, { headers: HEADERS })));
  }
  if (status !== 'succeeded') throw new Error(`the clip of ${model} is ${status}`);
}

async function read(answer: Promise<Response>): Promise<{ id: string; status: string }> {
  const job = (await (await answer).json()) as { id: string; status: string; error?: unknown };
  if (job.error) throw new Error(JSON.stringify(job.error));
  return job;
}
