import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import ffmpeg from '@ffmpeg-installer/ffmpeg';
import sharp from 'sharp';
import type { ClipRequest, Renderer, RenderRequest } from '../../src/render/render-request.ts';
import { createRenderer } from '../../src/render/worker-renderer.ts';
import { type BenchRow, median } from './bench-row.ts';

interface Contest {
  name: string;
  bar: number;
  rounds: number;
  ours: (round: number) => Promise<unknown>;
  theirs: (round: number) => Promise<unknown>;
}

const run = promisify(execFile);

/** Medians of interleaved rounds: pictures and clips with prompts not seen before. `tell` hears each row as it comes. */
export async function benchRenders(
  tell: (row: BenchRow) => void = () => undefined,
): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'render-bench-'));
  const renderer = createRenderer({ scratchFolder: folder });
  try {
    const rows: BenchRow[] = [];
    for (const contest of [
      ...pictureContests(renderer, folder),
      ...clipContests(renderer, folder),
    ]) {
      const row = await hold(contest);
      rows.push(row);
      tell(row);
    }
    return rows;
  } finally {
    await renderer.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function hold(contest: Contest): Promise<BenchRow> {
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = -2; round < contest.rounds; round++) {
    const [one, other] = [
      await timed(() => contest.ours(round)),
      await timed(() => contest.theirs(round)),
    ];
    if (round < 0) continue;
    ours.push(one);
    theirs.push(other);
  }
  const [mine, plain] = [median(ours), median(theirs)];
  return {
    name: `${contest.name}: times faster`,
    ours: `${mine.toFixed(1)} ms`,
    theirs: `${plain.toFixed(1)} ms`,
    ratio: plain / mine,
    bar: `>= ${contest.bar.toFixed(2)}`,
  };
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await act();
  return performance.now() - begun;
}

const SUBJECTS = [
  'a lighthouse at dusk',
  'snowy peaks',
  'a city at night',
  'a fox in a forest',
  'dunes',
  'a reef',
  'a lake',
];

function pictureContests(renderer: Renderer, folder: string): Contest[] {
  const request = (at: number): RenderRequest => ({
    ...{ kind: 'image', model: 'svc-image-one', seed: at + 100 },
    prompt: `${SUBJECTS[(at + 100) % SUBJECTS.length]}, number ${at}`,
  });
  const ours = (at: number) => renderer.render(request(at), join(folder, `picture-${at}`));
  const four = (act: (at: number) => Promise<unknown>) => (round: number) =>
    Promise.all([0, 1, 2, 3].map((at) => act(round * 4 + at + 50)));
  return [
    { name: 'a picture, one at a time', bar: 1 / 0.75, rounds: 60, ours, theirs: plainPicture },
    {
      name: 'pictures, four in flight',
      bar: 1.5,
      rounds: 30,
      ours: four(ours),
      theirs: four(plainPicture),
    },
  ];
}

/** A gradient and a line of text. */
function plainPicture(at: number): Promise<Buffer> {
  const hue = (at * 47 + 3600) % 360;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1024" height="1024"><defs><linearGradient id="g" x2="0" y2="1"><stop stop-color="hsl(${hue},60%,30%)"/><stop offset="1" stop-color="hsl(${(hue + 120) % 360},60%,45%)"/></linearGradient></defs><rect width="1024" height="1024" fill="url(#g)"/><text x="120" y="520" font-size="48" fill="#fff">number ${at}</text></svg>`;
  return sharp(Buffer.from(svg)).png().toBuffer();
}

const CLIPS = [
  { name: '5 s 720p', width: 1280, height: 720, seconds: 5, moving: 10, still: 5, rounds: 7 },
  { name: '10 s 768p', width: 1366, height: 768, seconds: 10, moving: 20, still: 10, rounds: 5 },
  { name: '30 s 1080p', width: 1920, height: 1080, seconds: 30, moving: 40, still: 15, rounds: 3 },
  { name: '15 s 1440p', width: 2560, height: 1440, seconds: 15, moving: 30, still: 12, rounds: 3 },
];

function clipContests(renderer: Renderer, folder: string): Contest[] {
  const given = join(folder, 'given.png');
  const contests = CLIPS.flatMap((size) => {
    const ours = clipWith(renderer, folder, size);
    const { name, rounds } = size;
    return [
      {
        name: `${name} against testsrc2`,
        bar: size.moving,
        rounds,
        ours,
        theirs: () => testSource(size, folder),
      },
      {
        name: `${name} against a looped still`,
        bar: size.still,
        rounds,
        ours,
        theirs: () => loopedStill(size, folder),
      },
    ];
  });
  const long = CLIPS[2] as (typeof CLIPS)[number];
  const ends = {
    firstFrame: { sha256: 'first', path: given },
    lastFrame: { sha256: 'last', path: given },
  };
  const both = clipWith(renderer, folder, { ...long, ...ends });
  const prepared = async (round: number) => {
    if (round === -2) writeFileSync(given, await plainPicture(1));
    await both(round);
  };
  const theirs = () => testSource(long, folder);
  return [
    ...contests,
    {
      name: `${long.name} with first and last picture`,
      bar: 30,
      rounds: 3,
      ours: prepared,
      theirs,
    },
  ];
}

function clipWith(
  renderer: Renderer,
  folder: string,
  size: Pick<ClipRequest, 'width' | 'height' | 'seconds' | 'firstFrame' | 'lastFrame'>,
): (round: number) => Promise<unknown> {
  const { width, height, seconds, firstFrame, lastFrame } = size;
  return (round) =>
    renderer.render(
      {
        ...{
          kind: 'clip',
          model: 'svc-motion-one',
          engine: 'svc-motion-one',
          figures: [],
          references: [],
        },
        ...{ width, height, seconds, firstFrame, lastFrame, audio: true, seed: round + 5 },
        prompt: `${SUBJECTS[(round + 7) % SUBJECTS.length]}, clip ${round}`,
      },
      join(folder, 'clip.mp4'),
    );
}

const SOUND = ['-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=48000'];
const CODECS = [
  '-c:v',
  'libx264',
  '-preset',
  'ultrafast',
  '-pix_fmt',
  'yuv420p',
  '-c:a',
  'aac',
  '-b:a',
  '128k',
  '-ac',
  '2',
];

type Size = { width: number; height: number; seconds: number };

function testSource({ width, height, seconds }: Size, folder: string): Promise<unknown> {
  const source = ['-f', 'lavfi', '-i', `testsrc2=size=${width}x${height}:rate=24`];
  return plainClip([...source, ...SOUND, '-t', `${seconds}`, ...CODECS], folder);
}

async function loopedStill({ width, height, seconds }: Size, folder: string): Promise<unknown> {
  const still = join(folder, 'still.png');
  writeFileSync(
    still,
    await sharp(await plainPicture(1))
      .resize(width, height, { fit: 'fill' })
      .png({ compressionLevel: 1 })
      .toBuffer(),
  );
  const source = ['-framerate', '24', '-loop', '1', '-i', still];
  return plainClip(
    [...source, ...SOUND, '-t', `${seconds}`, '-tune', 'stillimage', ...CODECS],
    folder,
  );
}

function plainClip(args: string[], folder: string): Promise<unknown> {
  return run(ffmpeg.path, [
    '-v',
    'error',
    '-nostdin',
    ...args,
    '-movflags',
    '+faststart',
    '-y',
    join(folder, 'plain.mp4'),
  ]);
}
