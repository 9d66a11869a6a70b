import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import ffmpegInstaller from '@ffmpeg-installer/ffmpeg';
import { Ffmpeg } from '../../../src/media/ffmpeg.ts';
import type { RenderedFile, RenderTools } from '../../../src/media/render-request.ts';
import { emptyFolder } from '../../cli/spawned-program.ts';

export interface Rendered {
  file: RenderedFile;
  bytes: Buffer;
}

/** Runs an engine with real tools in a new folder, and reads the file that it wrote. */
export async function rendered(
  engine: (target: string, tools: RenderTools) => Promise<RenderedFile>,
  signal?: AbortSignal,
): Promise<Rendered> {
  const scratchFolder = emptyFolder();
  const target = path.join(scratchFolder, 'audio.mp3');
  const tools = {
    ffmpeg: new Ffmpeg(),
    signal: signal ?? new AbortController().signal,
    scratchFolder,
  };
  const file = await engine(target, tools);
  return { file, bytes: readFileSync(target) };
}

/** Reads `bytes` with ffmpeg, which stops at the first error. */
export function ffmpeg(bytes: Buffer, output: string[], verbosity = 'error') {
  const file = path.join(emptyFolder(), 'audio.mp3');
  const strict = ['-hide_banner', '-nostdin', '-v', verbosity, '-xerror', '-err_detect', 'explode'];
  writeFileSync(file, bytes);
  const run = spawnSync(ffmpegInstaller.path, [...strict, '-i', file, ...output], { maxBuffer: 1 << 28 });
  return { status: run.status, stdout: run.stdout, stderr: run.stderr.toString() };
}

/** The interleaved samples of a file, from an independent decoder. Throws at the first error. */
export function decode(bytes: Buffer): Int16Array {
  const { status, stdout, stderr } = ffmpeg(bytes, ['-f', 's16le', 'pipe:1']);
  if (status !== 0 || stderr !== '') throw new Error(`ffmpeg could not decode: ${stderr}`);
  return new Int16Array(stdout.buffer, stdout.byteOffset, stdout.length / 2);
}

/** Integrated loudness in LUFS and true peak in dBTP, by the EBU R 128 meter of ffmpeg. */
export function loudness(bytes: Buffer): { lufs: number; peak: number } {
  const { stderr } = ffmpeg(bytes, ['-af', 'ebur128=peak=true', '-f', 'null', '-'], 'info');
  const summary = stderr.slice(stderr.lastIndexOf('Summary:'));
  const number = (pattern: RegExp) => Number(pattern.exec(summary)?.[1]);
  return { lufs: number(/I:\s+(-?[\d.]+) LUFS/), peak: number(/Peak:\s+(-?[\d.]+) dBFS/) };
}
