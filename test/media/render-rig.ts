import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ffmpeg from '@ffmpeg-installer/ffmpeg';
import { VirtualClock } from '../../src/base/clock/virtual-clock.ts';
import type { ClipRequest, ImageRequest, Renderer } from '../../src/media/render-request.ts';
import { WorkerRenderer } from '../../src/media/worker-renderer.ts';
import { emptyFolder } from '../cli/spawned-program.ts';

/** A renderer with its own folder. */
export interface Rig {
  renderer: Renderer;
  folder: string;
  file(name: string): string;
}

export function openRig(workers = 1): Rig {
  const folder = emptyFolder();
  const renderer = new WorkerRenderer({ clock: new VirtualClock(), workers, scratchFolder: folder });
  return { renderer, folder, file: (name) => join(folder, name) };
}

export function image(change: Partial<ImageRequest>): ImageRequest {
  return { kind: 'image', model: 'svc-image-one', prompt: 'a lighthouse', seed: 7, ...change };
}

export function clip(change: Partial<ClipRequest>): ClipRequest {
  return {
    ...{ kind: 'clip', model: 'svc-motion-one', engine: 'svc-motion-one', prompt: 'a quiet lake' },
    ...{ width: 854, height: 480, seconds: 2, audio: false, seed: 7, figures: [], references: [] },
    ...change,
  };
}

export async function renderImage(rig: Rig, change: Partial<ImageRequest>): Promise<Buffer> {
  const target = rig.file('picture.png');
  await rig.renderer.render(image(change), target);
  return readFileSync(target);
}

/** The findings of a strict decoder. `faults` is empty if there are none. */
export interface Decoded {
  faults: string;
  frames: number;
  size: string;
  seconds: number;
  codecs: string[];
}

export function decode(path: string): Decoded {
  const all = ['-map', '0:v', '-map', '0:a?', '-f', 'null', '-'];
  const strict = run(['-v', 'level+info', '-err_detect', 'explode', '-xerror', '-i', path, ...all]);
  const told = strict.stderr.toString();
  const faults = told.split('\n').filter((line) => /\[(?:error|fatal|panic)\]/.test(line));
  const [, hours = '0', minutes = '0', rest = '0'] = /Duration: (\d+):(\d+):([\d.]+)/.exec(told) ?? [];
  return {
    faults: faults.join('\n') + (strict.status === 0 ? '' : `exit code ${strict.status}`),
    frames: Number([...told.matchAll(/frame=\s*(\d+)/g)].at(-1)?.[1]),
    size: /Video: h264 \(Main\).* yuv420p\(tv, bt709\), (\d+x\d+)/.exec(told)?.[1] ?? told,
    seconds: Number(hours) * 3600 + Number(minutes) * 60 + Number(rest),
    codecs: [...told.matchAll(/Stream #0:\d.*?: (?:Video|Audio): (\w+)/g)]
      .map((match) => match[1] ?? '')
      .filter((name) => name === 'h264' || name === 'aac'),
  };
}

/** RGB bytes of one frame. */
export function frameOf(path: string, frame: number): Buffer {
  const [only] = framesOf(path, [frame]);
  return only as Buffer;
}

/** RGB bytes of several frames, whose numbers must ascend. */
export function framesOf(path: string, frames: readonly number[]): Buffer[] {
  const select = `select=${frames.map((frame) => `eq(n\\,${frame})`).join('+')}`;
  const output = ['-vf', select, '-vsync', '0', '-vframes', `${frames.length}`, '-pix_fmt', 'rgb24'];
  const { stdout } = run(['-v', 'error', '-i', path, ...output, '-f', 'rawvideo', '-']);
  const length = stdout.length / frames.length;
  return frames.map((_, at) => stdout.subarray(at * length, (at + 1) * length));
}

/** Mean difference of two images of the same size, from 0 to 255. */
export function difference(one: Uint8Array, other: Uint8Array): number {
  if (one.length !== other.length) throw new RangeError(`${one.length} bytes and ${other.length} bytes`);
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += Math.abs((one[at] ?? 0) - (other[at] ?? 0));
  return sum / one.length;
}

function run(args: string[]) {
  return spawnSync(ffmpeg.path, ['-nostdin', ...args], { maxBuffer: 1 << 28 });
}
