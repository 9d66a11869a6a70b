import { writeFileSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { IntraPictures } from '../h264/intra-picture.ts';
import { pictureSet, sequenceSet } from '../h264/stream-parameters.ts';
import { encodeMp4 } from '../mp4/mp4-file.ts';
import type { MovieNotes } from '../mp4/note-track.ts';
import { hashText } from '../paint/seeded-random.ts';
import type { ClipRequest, RenderedFile, RenderTools } from '../render-request.ts';
import { requestFingerprint } from '../request-measures.ts';
import type { SceneKit } from '../scene/stage.ts';
import { cameraMove, shotNamed } from './camera-move.ts';
import { FrameWriter } from './clip-frames.ts';
import { BLOCK, codedSize, FRAMES_PER_SECOND, layOut } from './clip-layout.ts';
import { ClipScene } from './clip-scene.ts';
import { clearArea, stillRim } from './draw-rim.ts';
import { EngineLooks } from './engine-look.ts';
import { FallShapes } from './fall-shapes.ts';
import { FallingWeather } from './falling-weather.ts';
import { readGiven } from './given-pictures.ts';
import { type ClipPlan, KeyPictures } from './key-pictures.ts';
import type { SceneMotion } from './motion-field.ts';
import { soundtrack } from './soundtrack.ts';
import { type ClipFrames, planStoryboard } from './storyboard.ts';

const LONGEST_TITLE = 120;

/** Renders clips; keeps the words, shapes and looks it has read. */
export class ClipEngine {
  readonly #kit: SceneKit;
  readonly #looks = new EngineLooks();
  readonly #shapes = new FallShapes();
  readonly #coder = new IntraPictures();

  constructor(kit: SceneKit) {
    this.#kit = kit;
  }

  /** Writes an MP4 of exactly the asked size and length to `target`. */
  async render(request: ClipRequest, target: string, tools: RenderTools): Promise<RenderedFile> {
    const scene = new ClipScene(this.#kit, request);
    const plan = await this.#plan(request, scene);
    tools.onProgress(0.1);
    const writer = new FrameWriter(plan);
    await writer.prepare(tools.signal);
    tools.onProgress(0.4);
    const mp4 = assemble(plan, scene, writer.write(await this.#code(plan, scene, tools)));
    tools.signal.throwIfAborted();
    writeFileSync(target, mp4);
    tools.onProgress(1);
    return { bytes: mp4.length, contentType: 'video/mp4', seconds: request.seconds };
  }

  /** Draws and codes the pictures that others look at. */
  async #code(plan: ClipPlan, scene: ClipScene, { signal, onProgress }: RenderTools): Promise<Buffer[]> {
    const coded: Buffer[] = [];
    const keys = plan.board.stretches.length + (plan.board.dissolve ? 1 : 0);
    for (const picture of new KeyPictures(this.#kit, plan, scene).draw()) {
      const at = coded.length;
      const last = 2 * ((plan.board.dissolve?.frames ?? 1) - 1);
      coded.push(at < keys ? this.#coder.key(picture, at) : this.#coder.reference(picture, last));
      onProgress(0.4 + (0.5 * coded.length) / (keys + 1));
      await nextTurn();
      signal.throwIfAborted();
    }
    return coded;
  }

  async #plan(request: ClipRequest, scene: ClipScene): Promise<ClipPlan> {
    const { width, height, seconds } = request;
    const look = this.#looks.of(request.engine);
    const inside = request.firstFrame !== undefined;
    const board = planStoryboard(seconds, { begins: inside, ends: request.lastFrame !== undefined });
    const shot = shotNamed(request.shot, hashText(request.prompt, request.seed));
    const layout = layOut({ width, height });
    const given = await readGiven(this.#kit, request);
    const motion: SceneMotion = {
      move: cameraMove(shot, clearArea(look, layout), { seconds: board.step / FRAMES_PER_SECOND, inside }),
      still: [...given.tiles.map((tile) => tile.spot), ...(inside ? [] : stillRim(look, layout))],
      ripple: ripple(scene, request, board.step),
    };
    const plan = { request, layout, board, motion, look, given };
    return {
      ...plan,
      weather: weatherOf(scene, plan, this.#shapes),
      crossing: inside ? undefined : scene.crossing(board.frames),
    };
  }
}

function weatherOf(
  { falling }: ClipScene,
  { request, layout, board, motion }: Omit<ClipPlan, 'weather' | 'crossing'>,
  shapes: FallShapes,
): FallingWeather | undefined {
  if (!falling || request.firstFrame) return undefined;
  const seed = hashText(request.prompt, request.seed);
  return new FallingWeather(layout, { kind: falling, seed, step: board.step, still: motion.still }, shapes);
}

function ripple(scene: ClipScene, { height, firstFrame }: ClipRequest, step: number): SceneMotion['ripple'] {
  if (!scene.hasWater || firstFrame) return undefined;
  const fromRow = Math.ceil(((scene.plan.horizon + 0.1) * height) / BLOCK);
  return { fromRow, pixels: height / 720, swings: Math.max(1, Math.round(step / 60)) };
}

function assemble({ request, layout }: ClipPlan, scene: ClipScene, frames: ClipFrames): Buffer {
  const video = {
    ...{ width: request.width, height: request.height, framesPerSecond: FRAMES_PER_SECOND },
    sequenceSet: sequenceSet(codedSize(layout)),
    pictureSets: [pictureSet()],
    ...frames,
  };
  const sound = request.audio ? soundtrack(scene.plan, request.seconds) : undefined;
  const { seconds, bytes } = request;
  return encodeMp4({ video, audio: sound, notes: notesOf(request), seconds, bytes });
}

/** How the clip can be made again, and what it was asked for; no job, since all that ask for the same get this file. */
function notesOf(request: ClipRequest): MovieNotes {
  const { model, prompt, negativePrompt, seed, shot, lighting, width, height, seconds } = request;
  const recipe = JSON.stringify({ model, prompt, negativePrompt, seed, shot, lighting, width, height, seconds });
  return {
    title: [...prompt].slice(0, LONGEST_TITLE).join(''),
    comment: recipe,
    encoder: 'svc-emulator (placeholder clip)',
    text: `${prompt}\nsvc-emulator ${requestFingerprint('clip', request)}`,
  };
}
