import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Config } from '../base/config/config.ts';
import { identifyFfmpegBuild } from './ffmpeg.ts';
import { seededHash } from './paint/seeded-random.ts';
import type { JobRenderInput, ReferencePicture, RenderRequest } from './render-request.ts';

/** The time of the largest render of each kind on a slow machine, in real milliseconds. */
const EXPECTED: Record<RenderRequest['kind'], number> = {
  image: 3000,
  thumbnail: 3000,
  speech: 3000,
  clip: 4000,
  song: 5000,
};

const OVERRUN = 10;

export function renderTimeLimit(kind: RenderRequest['kind']): number {
  return OVERRUN * EXPECTED[kind];
}

export const MAX_TIME_LIMIT_OF_RENDERS_MS = Math.max(...Object.values(EXPECTED)) * OVERRUN;

const MEBIBYTE = 1_048_576;

const MAX_MEMORY = 260 * MEBIBYTE;

const WORKER = 30 * MEBIBYTE;

const CLIP = 15 * MEBIBYTE;

const PIXEL = 20;

export class RenderMemoryBudget {
  readonly #room: number;
  #taken = 0;

  constructor(workers: number) {
    this.#room = MAX_MEMORY - workers * WORKER;
  }

  fits(request: RenderRequest): boolean {
    const needed = roomOf(request);
    return needed === 0 || this.#taken === 0 || this.#taken + needed <= this.#room;
  }

  take(request: RenderRequest): void {
    this.#taken += roomOf(request);
  }

  leave(request: RenderRequest): void {
    this.#taken -= roomOf(request);
  }
}

function roomOf(request: RenderRequest): number {
  return request.kind === 'clip' ? CLIP + PIXEL * request.width * request.height : 0;
}

/** Increase it with every change to the bytes of any render. */
const CODE_VERSION = 19;

export function rendererVersion(ffmpegPath?: string): string {
  const programs = `sharp-${sharpVersion()}-ffmpeg-${identifyFfmpegBuild(ffmpegPath)}`;
  return `${CODE_VERSION}-${process.platform}-${process.arch}-${programs}`;
}

/** Reads the package file, because loading sharp takes 30 ms. */
function sharpVersion(): string {
  const load = createRequire(import.meta.url);
  try {
    return JSON.parse(readFileSync(join(dirname(load.resolve('sharp')), '../package.json'), 'utf8')).version;
  } catch {
    return 'none';
  }
}

export function requestFingerprint(version: string, request: RenderRequest): string {
  return createHash('sha256')
    .update(`${version}\n${canonical(request)}`)
    .digest('hex');
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const fields = Object.entries(value)
    .filter(([name, held]) => held !== undefined && !(name === 'path' && 'sha256' in value))
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${fields.map(([name, held]) => `${JSON.stringify(name)}:${canonical(held)}`).join(',')}}`;
}

/** The largest realistic size in bytes, below 10 MiB, the limit of a render. */
const MAX_REALISTIC = 9.5 * 1_048_576;
const PICTURE = { least: 1_000_000, most: 2_000_000 };
const CLIP_BITS = 0.15;
const FRAMES = 24;
const SPREAD = 0.2;

export function withTargetFileSize(
  request: RenderRequest,
  { bytes }: { bytes?: number | undefined },
  mediaSize: Config['mediaSize'],
): RenderRequest {
  if (request.kind === 'thumbnail') return request;
  const wanted = bytes ?? (mediaSize === 'realistic' ? realistic(request) : undefined);
  return wanted === undefined ? request : { ...request, bytes: wanted };
}

function realistic(request: Exclude<RenderRequest, { kind: 'thumbnail' }>): number | undefined {
  if (request.kind !== 'image' && request.kind !== 'clip') return undefined;
  const share = (seededHash(request.prompt, request.seed) % 10_000) / 10_000;
  if (request.kind === 'image') return Math.round(PICTURE.least + share * (PICTURE.most - PICTURE.least));
  const { width, height, seconds } = request;
  const usual = (width * height * FRAMES * seconds * CLIP_BITS) / 8;
  return Math.min(MAX_REALISTIC, Math.round(usual * (1 + SPREAD * (2 * share - 1))));
}

export function referencePictureNames(request: JobRenderInput): string[] {
  const names = allPictures(request).flatMap((picture) => ('sha256' in picture ? [picture.sha256] : []));
  return [...new Set(names)];
}

/** Renews the paths of pictures, because the data folder may have been moved since they were written. */
export function withPicturePaths(request: RenderRequest, pathOf: (name: string) => string): RenderRequest {
  if (request.kind !== 'clip') return request;
  const at = (picture: ReferencePicture): ReferencePicture =>
    'sha256' in picture ? { ...picture, path: pathOf(picture.sha256) } : picture;
  return {
    ...request,
    figures: request.figures.map((figure) => ({
      ...figure,
      picture: figure.picture && at(figure.picture),
    })),
    firstFrame: request.firstFrame && at(request.firstFrame),
    lastFrame: request.lastFrame && at(request.lastFrame),
    references: request.references.map(at),
  };
}

function allPictures(request: JobRenderInput): ReferencePicture[] {
  if (request.kind !== 'clip') return [];
  const { figures, firstFrame, lastFrame, references } = request;
  return [...figures.map(({ picture }) => picture), firstFrame, lastFrame, ...references].filter(
    (picture) => picture !== undefined,
  );
}
