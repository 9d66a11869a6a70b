import { SUBJECTS } from './bench-pictures.ts';
import { type BenchRow, type Contest, each, held } from './bench-row.ts';
import { RICH, withFolder, withServer } from './bench-server.ts';
import { type ClipSize, loopedStill, testSource, writeStill } from './plain-media.ts';
import { finished } from './start-bench.ts';

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

function order(
  name: string,
  [model, resolution]: [model: string, resolution: string],
  size: ClipSize,
  bars: Pick<Order, 'moving' | 'still' | 'rounds'>,
): Order {
  return { name, model, resolution, size, ...bars };
}

export const CLIP_ORDERS: readonly Order[] = [
  order('5 s 720p', [BY_O, '720p'], { width: 1280, height: 720, seconds: 5 }, { moving: 10, still: 5, rounds: 9 }),
  order('10 s 768p', [BY_OWN, '768p'], { width: 1366, height: 768, seconds: 10 }, { moving: 15, still: 10, rounds: 7 }),
  order(
    '30 s 1080p',
    [BY_O, '1080p'],
    { width: 1920, height: 1080, seconds: 30 },
    { moving: 40, still: 15, rounds: 5 },
  ),
  order('15 s 1440p', [BY_F, '2k'], { width: 2560, height: 1440, seconds: 15 }, { moving: 30, still: 12, rounds: 5 }),
];

/** Clips with prompts not seen before, from POST to the finished job, against ffmpeg: two rows for each order. */
export function clipBench(orders: readonly Order[] = CLIP_ORDERS): Promise<BenchRow[]> {
  return withFolder((folder) =>
    withServer(RICH, async ({ url }) => {
      const contests = await each(orders, (clip) => contestsOf(clip, url, folder));
      return held(contests.flat());
    }),
  );
}

async function contestsOf(clip: Order, url: string, folder: string): Promise<Contest[]> {
  const { name, model, resolution, size, moving, still, rounds } = clip;
  const picture = await writeStill(size, folder);
  const contest = (
    against: string,
    bar: number,
    // The rounds of each contest have prompts of their own.
    { ahead, theirs }: { ahead: number; theirs: () => Promise<unknown> },
  ): Contest => ({
    name: `${name}, POST to finished job, ${against}`,
    bar,
    warm: 14,
    rounds,
    // A program of its own needs no more than one round to get warm.
    theirs: async (round) => round >= -1 && theirs(),
    ours: (round) => {
      const prompt = `${SUBJECTS[(round + ahead + 7) % SUBJECTS.length]}, clip ${round + ahead}`;
      return finished(`${url}/v1/videos/generations`, { model, prompt, resolution, seconds: size.seconds });
    },
  });
  return [
    contest('testsrc2', moving, { ahead: 7, theirs: () => testSource(size, folder) }),
    contest('looped still', still, { ahead: 70, theirs: () => loopedStill(picture, size.seconds, folder) }),
  ];
}
