import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '../../src/clock/virtual-clock.ts';
import type {
  ClipRequest,
  ImageRequest,
  Renderer,
  RenderRequest,
} from '../../src/render/render-request.ts';
import { createRenderer } from '../../src/render/worker-renderer.ts';
import { type BenchRow, median } from './bench-row.ts';
import { ourServer } from './bench-server.ts';
import { type ClipSize, loopedStill, plainPicture, testSource, writeStill } from './plain-media.ts';
import { RawClient } from './raw-client.ts';
import { memoryAboveIdle } from './render-memory.ts';

/** Both sides are warmed up by `warm` rounds, then measured in turn. */
interface Contest {
  name: string;
  bar: number;
  warm: number;
  rounds: number;
  ours: (round: number) => Promise<unknown>;
  theirs: (round: number) => Promise<unknown>;
}

interface Bench {
  renderer: Renderer;
  folder: string;
}

const SUBJECTS = [
  ...['a lighthouse at dusk', 'snowy peaks', 'a city at night', 'a fox in a forest'],
  ...['dunes', 'a reef', 'a lake'],
];
const SIZES = [
  { name: '5 s 720p', width: 1280, height: 720, seconds: 5, moving: 10, still: 5, rounds: 9 },
  { name: '10 s 768p', width: 1366, height: 768, seconds: 10, moving: 20, still: 10, rounds: 7 },
  { name: '30 s 1080p', width: 1920, height: 1080, seconds: 30, moving: 40, still: 15, rounds: 3 },
  { name: '15 s 1440p', width: 2560, height: 1440, seconds: 15, moving: 30, still: 12, rounds: 3 },
];
const LONG = { width: 1920, height: 1080, seconds: 30 };
/** Pictures of one round in which four are in flight, of each subject as many. */
const IN_A_ROUND = 4 * SUBJECTS.length;

/** Pictures and clips with prompts not seen before, against sharp and ffmpeg, in interleaved rounds. Takes minutes. */
export async function renderBench(): Promise<BenchRow[]> {
  // Memory first: what is idle must not have rendered yet.
  const memory = await memoryBenchOfClips();
  return [...(await pictureBench()), ...(await clipBench()), ...(await serviceBench()), memory];
}

export function pictureBench(): Promise<BenchRow[]> {
  return benched((bench) => held(pictureContests(bench)));
}

export function clipBench(): Promise<BenchRow[]> {
  return benched(async (bench) => [
    ...(await held(await clipContests(bench))),
    ...(await benchSizes(bench)),
  ]);
}

async function benched(act: (bench: Bench) => Promise<BenchRow[]>): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'render-bench-'));
  const renderer = createRenderer({ clock: new VirtualClock(), scratchFolder: folder });
  try {
    return await act({ renderer, folder });
  } finally {
    await renderer.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function held(contests: Contest[]): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const contest of contests) rows.push(await hold(contest));
  return rows;
}

async function hold(contest: Contest): Promise<BenchRow> {
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = -contest.warm; round < contest.rounds; round++) {
    const one = await timed(() => contest.ours(round));
    const other = await timed(() => contest.theirs(round));
    if (round < 0) continue;
    ours.push(one);
    theirs.push(other);
  }
  const { name, bar } = contest;
  return timesFaster(name, bar, { ours: median(ours), theirs: median(theirs) });
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await act();
  return performance.now() - begun;
}

function picture(at: number): ImageRequest {
  const prompt = `${SUBJECTS[(at + 7000) % SUBJECTS.length]}, number ${at}`;
  return { kind: 'image', model: 'svc-image-one', prompt, seed: at + 7000 };
}

function pictureContests({ renderer, folder }: Bench): Contest[] {
  const ours = (at: number) => renderer.render(picture(at), join(folder, `picture-${at}`));
  const theirs = (at: number) => plainPicture(at).toFile(join(folder, `plain-${at}.png`));
  const one = { warm: 100, rounds: 100, ours, theirs };
  const more = { warm: 10, rounds: 20, ours: inFlight(ours), theirs: inFlight(theirs) };
  return [
    { name: 'a picture, rendered alone', bar: 1 / 0.75, ...one },
    { name: `${IN_A_ROUND} pictures, four in flight`, bar: 1.5, ...more },
  ];
}

/** Four at every moment: whoever has one made asks for the next. */
function inFlight(act: (at: number) => Promise<unknown>) {
  return async (round: number) => {
    let at = 2000 + round * IN_A_ROUND;
    const end = at + IN_A_ROUND;
    const lane = async () => {
      while (at < end) await act(at++);
    };
    await Promise.all([lane(), lane(), lane(), lane()]);
  };
}

function clip(size: ClipSize & Partial<ClipRequest>, round: number): RenderRequest {
  return {
    ...{ kind: 'clip', model: 'svc-motion-one', engine: 'svc-motion-one' },
    ...{ audio: true, seed: round + 5, figures: [], references: [] },
    prompt: `${SUBJECTS[(round + 7) % SUBJECTS.length]}, clip ${round}`,
    ...size,
  };
}

async function clipContests({ renderer, folder }: Bench): Promise<Contest[]> {
  const ours = (size: ClipSize & Partial<ClipRequest>) => (round: number) =>
    renderer.render(clip(size, round), join(folder, 'clip.mp4'));
  const contests: Contest[] = [];
  for (const { name, moving, still, rounds, width, height, seconds } of SIZES) {
    const size = { width, height, seconds };
    const picture = await writeStill(size, folder);
    const both = { warm: 2, rounds, ours: ours(size) };
    const theirs = () => testSource(size, folder);
    const looped = () => loopedStill(picture, seconds, folder);
    contests.push({ name: `${name} against testsrc2`, bar: moving, ...both, theirs });
    contests.push({ name: `${name} against a looped still`, bar: still, ...both, theirs: looped });
  }
  const given = { sha256: 'given', path: join(folder, 'given.png') };
  writeFileSync(given.path, await plainPicture(1).toBuffer());
  contests.push({
    ...{ name: '30 s 1080p with first and last picture', bar: 30, warm: 1, rounds: 3 },
    ours: ours({ ...LONG, firstFrame: given, lastFrame: given }),
    theirs: () => testSource(LONG, folder),
  });
  return contests;
}

/** The largest of some. */
async function benchSizes({ renderer, folder }: Bench): Promise<BenchRow[]> {
  let [pictures, clips] = [0, 0];
  for (let at = 0; at < 70; at++) {
    const { bytes } = await renderer.render(picture(at + 5000), join(folder, 'size.png'));
    pictures = Math.max(pictures, bytes / 1024);
  }
  for (let at = 0; at < 14; at++) {
    const { bytes } = await renderer.render(clip(LONG, at + 50), join(folder, 'size.mp4'));
    clips = Math.max(clips, bytes / 1_000_000);
  }
  return [
    atMost('the largest of 70 pictures, KB', pictures, 400),
    atMost('the largest of 14 clips of 30 s 1080p, MB', clips, 6),
  ];
}

export async function memoryBenchOfClips(): Promise<BenchRow> {
  const folder = mkdtempSync(join(tmpdir(), 'render-bench-'));
  const renderer = createRenderer({ clock: new VirtualClock(), scratchFolder: folder });
  const sizes = [LONG, SIZES[3], SIZES[1], SIZES[0]] as ClipSize[];
  const renders = () =>
    Promise.all(
      sizes.map((size, at) => renderer.render(clip(size, at), join(folder, `memory-${at}`))),
    );
  try {
    return atMost(
      'memory above idle, four clips at once, MiB',
      await memoryAboveIdle(renders),
      250,
    );
  } finally {
    await renderer.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Through the service: a picture from request to answer; and the same again, which is a file by then. */
export async function serviceBench(): Promise<BenchRow[]> {
  const server = await ourServer('--credits', '1000000000');
  const [first, again, plain]: [number[], number[], number[]] = [[], [], []];
  const client = new RawClient(server.urls[0] ?? '');
  const ask = (round: number) => {
    const { prompt, model } = picture(round);
    return client.post('/v1/images/generations', 'svc_sk_local_emulator', { prompt, model });
  };
  try {
    for (let round = -100; round < 100; round++) {
      const [one, other] = [await timed(() => ask(round)), await timed(() => ask(round))];
      const third = await timed(() => plainPicture(round).toBuffer());
      if (round < 0) continue;
      first.push(one);
      again.push(other);
      plain.push(third);
    }
  } finally {
    await client.close();
    await server.close();
  }
  const [slow, quick] = [median(first), median(again)];
  return [
    timesFaster('a picture, from request to answer', 1 / 0.75, {
      ours: slow,
      theirs: median(plain),
    }),
    {
      name: 'the same picture again: share of its first time',
      ours: `${quick.toFixed(2)} ms`,
      theirs: `${slow.toFixed(2)} ms`,
      ratio: quick / slow,
      bar: '<= 0.20',
    },
  ];
}

function timesFaster(
  name: string,
  bar: number,
  { ours, theirs }: { ours: number; theirs: number },
): BenchRow {
  return {
    name: `${name}: times faster`,
    ours: `${ours.toFixed(1)} ms`,
    theirs: `${theirs.toFixed(1)} ms`,
    ratio: theirs / ours,
    bar: `>= ${bar.toFixed(2)}`,
  };
}

function atMost(name: string, measured: number, most: number): BenchRow {
  return {
    ...{ name, ours: measured.toFixed(1), theirs: `at most ${most}` },
    ...{ ratio: measured / most, bar: '<= 1' },
  };
}
