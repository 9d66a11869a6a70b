import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { yieldToEventLoop } from '../../base/clock/real-globals.ts';
import { packageDataFolder } from '../../base/package/package-folder.ts';
import { encodeKeyframe, type IntraSlice, MotionSliceWriter, parseIntraSlices } from '../h264/slices.ts';
import { pictureParameterSet, sequenceParameterSet } from '../h264/stream-parameters.ts';
import { encodeMp4, type MovieMetadata } from '../mp4/mp4-file.ts';
import type { AudioTrack, VideoTrack } from '../mp4/track-box.ts';
import { seededHash } from '../paint/seeded-random.ts';
import { pixelateSvg, renderSvgToPixels } from '../picture/render-svg.ts';
import type { ClipRequest, RenderedFile, RenderTools } from '../render-request.ts';
import { requestFingerprint } from '../request-measures.ts';
import { type SceneAssets, type SceneView, SVG_UNITS_PER_SCENE_UNIT, transformSvgToView } from '../scene/painter.ts';
import type { ScenePlan } from '../scene/scene-plan.ts';
import {
  type CameraMove,
  cameraMove,
  chooseShot,
  computeSceneMotionField,
  computeSlateMotionField,
  type SceneMotion,
} from './camera-move.ts';
import {
  type ClipLayout,
  codedFrameFormat,
  FRAMES_PER_SECOND,
  type FrameRange,
  layOutClip,
  MACROBLOCK_PIXELS,
  planStoryboard,
  SlatePainter,
  type Storyboard,
  slateState,
} from './clip-layout.ts';
import { ClipScene, loadReferencePictures, type PlacedReferencePictures } from './clip-scene.ts';

const MAX_TITLE = 120;

export class ClipRenderer {
  readonly #kit: SceneAssets;
  readonly #coder = new PictureCoder();

  constructor(kit: SceneAssets) {
    this.#kit = kit;
  }

  async render(request: ClipRequest, target: string, tools: RenderTools): Promise<RenderedFile> {
    const scene = new ClipScene(this.#kit, request);
    const plan = await this.#plan(request);
    const svgs = await drawKeys(this.#kit, plan, scene);
    tools.signal.throwIfAborted();
    const { layout, board, move, given } = plan;
    const motion = { move, still: given.spots, mover: mover(scene, request, board.step) };
    const writer = new FrameWriter({ layout, board, motion });
    const [coded] = await Promise.all([this.#coder.code(svgs, plan, tools), writer.prepare(tools.signal)]);
    const mp4 = assemble(plan, scene, writer.write(coded));
    tools.signal.throwIfAborted();
    writeFileSync(target, mp4);
    return { bytes: mp4.length, contentType: 'video/mp4', seconds: request.seconds };
  }

  async #plan(request: ClipRequest): Promise<ClipPlan> {
    const { width, height, seconds } = request;
    const inside = request.firstFrame !== undefined;
    const board = planStoryboard(seconds, { begins: inside, ends: request.lastFrame !== undefined });
    const shot = chooseShot(request.shot, seededHash(request.prompt, request.seed));
    const layout = layOutClip({ width, height });
    const area = { left: 0, top: 0, right: width, bottom: layout.barRow * MACROBLOCK_PIXELS };
    const move = cameraMove(shot, area, { seconds: board.step / FRAMES_PER_SECOND, inside });
    return { request, layout, board, move, given: await loadReferencePictures(this.#kit, request) };
  }
}

function mover(scene: ClipScene, { width, height, firstFrame }: ClipRequest, step: number): SceneMotion['mover'] {
  const placed = scene.subject;
  if (!placed || firstFrame) return undefined;
  const { shape } = placed.figure;
  const [wide, high] = [shape.width * placed.size * height, shape.height * placed.size * height];
  const box = { x: placed.x * height + width / 2 - wide / 2, y: placed.y * height - high, width: wide, height: high };
  return { ...box, pixels: height / 34, swings: Math.max(1, Math.round(step / FRAMES_PER_SECOND)) };
}

function assemble({ request, layout }: ClipPlan, scene: ClipScene, frames: ClipFrames): Buffer {
  const video = {
    width: request.width,
    height: request.height,
    framesPerSecond: FRAMES_PER_SECOND,
    sequenceSet: sequenceParameterSet(codedFrameFormat(layout)),
    pictureSets: [pictureParameterSet()],
    ...frames,
  };
  const sound = request.audio ? soundtrack(scene.plan, request.seconds) : undefined;
  const { seconds, bytes } = request;
  return encodeMp4({ video, audio: sound, notes: notesOf(request), seconds, bytes });
}

/** The notes inside the file do not mention a job, because all jobs with the same request share the file. */
function notesOf(request: ClipRequest): MovieMetadata {
  const { model, prompt, negativePrompt, seed, shot, lighting, width, height, seconds } = request;
  const recipe = JSON.stringify({ model, prompt, negativePrompt, seed, shot, lighting, width, height, seconds });
  return {
    title: [...prompt].slice(0, MAX_TITLE).join(''),
    comment: recipe,
    encoder: 'svc-emulator (placeholder clip)',
    text: `${prompt}\nsvc-emulator ${requestFingerprint('clip', request)}`,
  };
}

type ClipFrames = Pick<VideoTrack, 'samples' | 'keys'>;

const FRAMES_A_TURN = 24;

interface FramePlan {
  layout: ClipLayout;
  board: Storyboard;
  motion: SceneMotion;
}

/** Writes frames that copy from a few coded pictures, which is forty times as fast as coding each frame with x264. */
class FrameWriter {
  readonly #plan: FramePlan;
  readonly #writer = new MotionSliceWriter();
  readonly #scene = new Map<number, Buffer>();
  readonly #moving: Buffer[][][] = [];

  constructor(plan: FramePlan) {
    this.#plan = plan;
  }

  async prepare(signal: AbortSignal): Promise<void> {
    for (const stretch of this.#plan.board.stretches) {
      const moving: Buffer[][] = [];
      for (let next = 1; next < stretch.frames; next++) {
        moving.push(stretch.isLast ? [this.#still(next)] : [this.#sceneSlice(next), this.#slateSlice(stretch, next)]);
        if (next % FRAMES_A_TURN === 0) await yieldToEventLoop();
        signal.throwIfAborted();
      }
      this.#moving.push(moving);
    }
  }

  write(coded: readonly IntraSlice[]): ClipFrames {
    const { stretches } = this.#plan.board;
    const frames: ClipFrames = { samples: [], keys: [] };
    for (const index of stretches.keys()) {
      frames.keys.push(frames.samples.length);
      frames.samples.push([encodeKeyframe(coded[index] as IntraSlice, index)], ...(this.#moving[index] ?? []));
    }
    return frames;
  }

  #sceneSlice(next: number): Buffer {
    const known = this.#scene.get(next);
    if (known) return known;
    const { layout, motion, board } = this.#plan;
    const slice = this.#writer.write(computeSceneMotionField(layout, motion, next / board.step), 2 * next);
    this.#scene.set(next, slice);
    return slice;
  }

  #slateSlice(stretch: FrameRange, next: number): Buffer {
    const { layout, board } = this.#plan;
    const shown = slateState(layout, board, stretch.from + next);
    const seen = slateState(layout, board, stretch.from);
    return this.#writer.write(computeSlateMotionField(layout, shown, seen), 2 * next);
  }

  #still(next: number): Buffer {
    const { columns, rows } = this.#plan.layout;
    const vectors = new Int16Array(columns * rows * 2);
    return this.#writer.write({ columns, firstRow: 0, rows, vectors }, 2 * next);
  }
}

interface ClipPlan {
  request: ClipRequest;
  layout: ClipLayout;
  board: Storyboard;
  move: CameraMove;
  given: PlacedReferencePictures;
}

async function drawKeys(kit: SceneAssets, plan: ClipPlan, scene: ClipScene): Promise<string[]> {
  const { board, given, request } = plan;
  const slate = new SlatePainter(kit.lettering, plan.layout, request.engine);
  const key = async (frame: number) => {
    const state = slateState(plan.layout, board, frame);
    const view = await seen(plan, scene, frame);
    return view + given.tiles + slate.drawStrip(false) + slate.draw(request, state);
  };
  const alone = ({ from, isLast }: FrameRange) => (isLast ? given.last : from === 0 ? given.first : undefined);
  const keys = board.stretches.map(async (stretch) => {
    const picture = alone(stretch);
    return picture ? picture + slate.drawStrip(true) : key(stretch.from);
  });
  return Promise.all(keys);
}

async function seen(plan: ClipPlan, scene: ClipScene, frame: number): Promise<string> {
  const { given, layout } = plan;
  const { width, height } = layout;
  const view = viewAt(plan, frame);
  if (!given.first) {
    const drawn = scene.draw(view, viewAt(plan, 0));
    return scene.plan.styles.includes('pixel') ? pixelateSvg(drawn, { width, height }) : drawn;
  }
  const scale = (view.scale / height) * SVG_UNITS_PER_SCENE_UNIT;
  return transformSvgToView(given.first, { scale, x: view.x - (width / 2) * (view.scale / height), y: view.y });
}

/** Options of ffmpeg: one slice per picture, no arithmetic coding, no deblocking. Such slices can get new headers. */
const CODER = [
  '-vf',
  'scale=out_color_matrix=bt709:out_range=tv:flags=accurate_rnd+bitexact',
  '-pix_fmt',
  'yuv420p',
  '-c:v',
  'libx264',
  '-preset',
  'ultrafast',
  '-qp',
  '21',
  '-f',
  'h264',
  '-x264-params',
  'keyint=1:scenecut=0:bframes=0:threads=1:slices=1:force-cfr=1:no-psy=1:chroma-qp-offset=0',
];
const KEPT = 24;

class PictureCoder {
  readonly #kept = new Map<string, IntraSlice>();

  async code(svgs: readonly string[], plan: ClipPlan, tools: RenderTools): Promise<IntraSlice[]> {
    const { columns, rows } = plan.layout;
    const size = { width: columns * MACROBLOCK_PIXELS, height: rows * MACROBLOCK_PIXELS };
    const named = svgs.map((svg) => [nameOf(svg, size), svg] as const);
    const coded = new Map(named.flatMap(([name]) => this.#known(name)));
    const missing = [...new Map(named.filter(([name]) => !coded.has(name)))];
    if (missing.length > 0) {
      const slices = await codeAll(
        missing.map(([, svg]) => svg),
        size,
        tools,
      );
      for (const [at, [name]] of missing.entries()) coded.set(name, this.#keep(name, slices[at]));
    }
    return named.map(([name]) => coded.get(name) as IntraSlice);
  }

  #known(name: string): [string, IntraSlice][] {
    const slice = this.#kept.get(name);
    return slice ? [[name, slice]] : [];
  }

  #keep(name: string, slice: IntraSlice | undefined): IntraSlice {
    if (!slice) throw new Error('x264 coded fewer pictures than it was given.');
    this.#kept.set(name, slice);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return slice;
  }
}

function nameOf(svg: string, { width, height }: { width: number; height: number }): string {
  return createHash('sha256').update(`${width} ${height} ${svg}`).digest('hex');
}

async function codeAll(svgs: string[], size: { width: number; height: number }, tools: RenderTools) {
  async function* pixels(): AsyncGenerator<Buffer> {
    for (const svg of svgs) yield await renderSvgToPixels(size, svg);
  }
  const shape = ['-pix_fmt', 'rgb0', '-video_size', `${size.width}x${size.height}`];
  const input = { input: pixels(), format: 'rawvideo', decoders: ['rawvideo'] };
  const inputOptions = [...shape, '-framerate', `${FRAMES_PER_SECOND}`];
  return parseIntraSlices(await tools.ffmpeg.run({ ...input, inputOptions, outputOptions: CODER }, tools.signal));
}

function viewAt(filmed: ClipPlan, frame: number): SceneView {
  const { board, move, layout } = filmed;
  const home = { scale: layout.height, x: layout.width / 2, y: 0 };
  const grown = growth(filmed, frame) / growth(filmed, move.roams ? board.frames / 2 : 0);
  const { centre } = move;
  return {
    scale: home.scale * grown,
    x: centre.x + (home.x - centre.x) * grown,
    y: centre.y + (home.y - centre.y) * grown,
  };
}

function growth({ board, move }: ClipPlan, frame: number): number {
  const grown = (frames: number) => 1 + ((move.zoom - 1) * frames) / board.step;
  return grown(board.step) ** Math.floor(frame / board.step) * grown(frame % board.step);
}

type Bed = 'sea' | 'rain' | 'city' | 'wind' | 'forest' | 'room' | 'fire';

const BEDS: Record<string, Bed> = {
  sea: 'sea',
  beach: 'sea',
  island: 'sea',
  city: 'city',
  road: 'city',
  village: 'city',
  forest: 'forest',
  garden: 'forest',
  meadow: 'forest',
  lake: 'forest',
  room: 'room',
  space: 'room',
  deep: 'room',
  volcano: 'fire',
};
const INDOORS = new Set(['room', 'space', 'deep']);
const RATE = 48_000;
const FRAME = 1024;

function backgroundSoundOf({ ground, weather }: Pick<ScenePlan, 'ground' | 'weather'>): Bed {
  const rains = (weather === 'rain' || weather === 'storm') && !INDOORS.has(ground);
  return rains ? 'rain' : (BEDS[ground] ?? 'wind');
}

function soundtrack(plan: ScenePlan, seconds: number): AudioTrack {
  const { frames, config } = readAdts(
    readFileSync(join(packageDataFolder(), `soundtrack/${backgroundSoundOf(plan)}.aac`)),
  );
  const count = Math.ceil((seconds * RATE) / FRAME) + 1;
  const laid = Array.from({ length: count }, (_, at) => frames[(at + frames.length - 1) % frames.length]);
  return { sampleRate: RATE, config, frames: laid.filter((frame) => frame !== undefined) };
}

function readAdts(file: Buffer): { frames: Buffer[]; config: Buffer } {
  const frames: Buffer[] = [];
  let at = 0;
  while (at + 7 < file.length) {
    const length = ((file.readUInt8(at + 3) & 3) << 11) | (file.readUInt16BE(at + 4) >> 5);
    frames.push(file.subarray(at + 7, at + length));
    at += length;
  }
  const rate = (file.readUInt8(2) >> 2) & 15;
  const channels = ((file.readUInt8(2) & 1) << 2) | (file.readUInt8(3) >> 6);
  const profile = (file.readUInt8(2) >> 6) + 1;
  const config = Buffer.alloc(2);
  config.writeUInt16BE((profile << 11) | (rate << 7) | (channels << 3));
  return { frames, config };
}
