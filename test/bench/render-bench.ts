import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { VirtualClock } from '../../src/base/clock/virtual-clock.ts';
import { svgOf } from '../../src/media/paint/svg-path.ts';
import { viewed } from '../../src/media/picture/raster.ts';
import type { ClipRequest, Renderer, RenderRequest } from '../../src/media/render-request.ts';
import { paintScene } from '../../src/media/scene/paint-scene.ts';
import { planScene } from '../../src/media/scene/scene-plan.ts';
import { readSceneKit, type SceneKit } from '../../src/media/scene/stage.ts';
import { createRenderer } from '../../src/media/worker-renderer.ts';
import { inFlight, picture, SUBJECTS } from './bench-pictures.ts';
import { atMost, type BenchRow, type Contest, each, held } from './bench-row.ts';
import { withFolder } from './bench-server.ts';
import { CLIP_ORDERS, clipBench } from './clip-bench.ts';
import { pictureBench } from './picture-bench.ts';
import { type ClipSize, plainPicture, testSource } from './plain-media.ts';
import { memoryAboveIdle } from './process-memory.ts';

interface Bench {
  renderer: Renderer;
  folder: string;
}

const SIDE = 1024;
const LONG = { width: 1920, height: 1080, seconds: 30 };

/** Pictures and clips with prompts not seen before, against sharp and ffmpeg, in interleaved rounds. Takes minutes. */
export async function renderBench(): Promise<BenchRow[]> {
  // Memory first: what is idle must not have rendered yet. The renderer alone last: it leaves many files to be deleted,
  // which would slow down those of the others.
  const memory = await memoryRows();
  const pictures = await pictureBench();
  return [...pictures, ...(await clipBench()), ...(await rendererBench()), ...memory];
}

/** What no request asks for: pictures without the service around them, and the largest files. */
export function rendererBench(): Promise<BenchRow[]> {
  return benched(async (bench) => [
    ...(await held([...pictureContests(bench), await givenContest(bench)])),
    ...(await sizeRows(bench)),
  ]);
}

/** Pictures without the service around them. */
export function pictureRows(): Promise<BenchRow[]> {
  return benched((bench) => held(pictureContests(bench)));
}

function benched(act: (bench: Bench) => Promise<BenchRow[]>): Promise<BenchRow[]> {
  return withFolder(async (folder) => {
    const renderer = createRenderer({ clock: new VirtualClock(), scratchFolder: folder });
    try {
      return await act({ renderer, folder });
    } finally {
      await renderer.close();
    }
  });
}

function pictureContests({ renderer, folder }: Bench): Contest[] {
  const ours = (at: number) => renderer.render(picture(at), join(folder, `picture-${at}`));
  const theirs = (at: number) => plainPicture(at).toFile(join(folder, `plain-${at}.png`));
  const one = { warm: 100, rounds: 100, ours, theirs };
  const four = (act: typeof ours | typeof theirs) => inFlight([act, act, act, act]);
  const more = { warm: 5, rounds: 10, ours: four(ours), theirs: four(theirs) };
  const kit = readSceneKit();
  const scenes = Array.from({ length: 200 }, (_, at) => sceneSvg(kit, picture(at - 100)));
  const same = (at: number) =>
    sharp(scenes[at + 100])
      .png()
      .toFile(join(folder, `same-${at}.png`));
  return [
    { name: 'a picture, sharp with an SVG of the same', bar: 1, ...one, theirs: same },
    { name: 'a picture, rendered alone', bar: 1 / 3, ...one },
    { name: `${8 * SUBJECTS.length} pictures, four in flight`, bar: 1 / 3, ...more },
  ];
}

/** The scene of a picture without its caption, for sharp alone. */
function sceneSvg(kit: SceneKit, { prompt, seed }: ReturnType<typeof picture>): Buffer {
  const plan = planScene(kit, { prompt, seed, strength: 1 });
  const { painter } = paintScene(kit, plan, { spread: 0.5, reach: 0.5, floor: 0.84 });
  return svgOf({ width: SIDE, height: SIDE }, viewed(painter.drawn, { scale: SIDE, x: SIDE / 2, y: 0 }));
}

function clip(size: ClipSize & Partial<ClipRequest>, round: number): RenderRequest {
  return {
    kind: 'clip',
    model: 'svc-motion-one',
    engine: 'svc-motion-one',
    audio: true,
    seed: round + 5,
    figures: [],
    references: [],
    prompt: `${SUBJECTS[(round + 7) % SUBJECTS.length]}, clip ${round}`,
    ...size,
  };
}

/** No engine makes so long a clip of this size with a picture at both ends. */
async function givenContest({ renderer, folder }: Bench): Promise<Contest> {
  const given = { sha256: 'given', path: join(folder, 'given.png') };
  writeFileSync(given.path, await plainPicture(1).toBuffer());
  const size = { ...LONG, firstFrame: given, lastFrame: given };
  return {
    name: '30 s 1080p with first and last picture',
    bar: 30,
    warm: 1,
    rounds: 5,
    ours: (round) => renderer.render(clip(size, round), join(folder, 'clip.mp4')),
    theirs: () => testSource(LONG, folder),
  };
}

/** The largest of some. */
async function sizeRows({ renderer, folder }: Bench): Promise<BenchRow[]> {
  const largest = async (count: number, request: (at: number) => RenderRequest) => {
    const sizes = await each(count, (at) => renderer.render(request(at), join(folder, 'size')));
    return Math.max(...sizes.map(({ bytes }) => bytes));
  };
  const pictures = await largest(70, (at) => picture(at + 5000));
  const clips = await largest(14, (at) => clip(LONG, at + 50));
  return [
    atMost('the largest of 70 pictures, KB', pictures / 1024, 400),
    atMost('the largest of 14 clips of 30 s 1080p, MB', clips / 1_000_000, 6),
  ];
}

/** The largest clips first, which takes the most. */
export function memoryRows(): Promise<BenchRow[]> {
  return benched(async ({ renderer, folder }) => {
    const orders = CLIP_ORDERS.toReversed();
    const renders = () =>
      Promise.all(orders.map(({ size }, at) => renderer.render(clip(size, at), join(folder, `memory-${at}`))));
    return [atMost('memory above idle, four clips at once, MiB', await memoryAboveIdle(renders), 250)];
  });
}
