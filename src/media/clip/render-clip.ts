import { writeFileSync } from 'node:fs';
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
import { readGiven } from './given-pictures.ts';
import { type ClipPlan, drawKeys, PictureCoder } from './key-pictures.ts';
import type { SceneMotion } from './motion-field.ts';
import { soundtrack } from './soundtrack.ts';
import { type ClipFrames, planStoryboard } from './storyboard.ts';

const LONGEST_TITLE = 120;

/** Renders clips; keeps the words and shapes it has read, and the pictures it has coded. */
export class ClipEngine {
  readonly #kit: SceneKit;
  readonly #coder = new PictureCoder();

  constructor(kit: SceneKit) {
    this.#kit = kit;
  }

  /** Writes an MP4 of exactly the asked size and length to `target`. */
  async render(request: ClipRequest, target: string, tools: RenderTools): Promise<RenderedFile> {
    const scene = new ClipScene(this.#kit, request);
    const plan = await this.#plan(request);
    tools.onProgress(0.1);
    const svgs = await drawKeys(this.#kit, plan, scene);
    tools.signal.throwIfAborted();
    const { layout, board, move, given } = plan;
    const motion = { move, still: given.spots, mover: mover(scene, request, board.step) };
    const writer = new FrameWriter({ layout, board, motion });
    const [coded] = await Promise.all([this.#coder.code(svgs, plan, tools), writer.prepare(tools.signal)]);
    const mp4 = assemble(plan, scene, writer.write(coded));
    tools.signal.throwIfAborted();
    writeFileSync(target, mp4);
    tools.onProgress(1);
    return { bytes: mp4.length, contentType: 'video/mp4', seconds: request.seconds };
  }

  async #plan(request: ClipRequest): Promise<ClipPlan> {
    const { width, height, seconds } = request;
    const inside = request.firstFrame !== undefined;
    const board = planStoryboard(seconds, { begins: inside, ends: request.lastFrame !== undefined });
    const shot = shotNamed(request.shot, hashText(request.prompt, request.seed));
    const layout = layOut({ width, height });
    const area = { left: 0, top: 0, right: width, bottom: layout.barRow * BLOCK };
    const move = cameraMove(shot, area, { seconds: board.step / FRAMES_PER_SECOND, inside });
    return { request, layout, board, move, given: await readGiven(this.#kit, request) };
  }
}

/** The subject, where it lives in air or water or is said to run, swim or dance. */
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
