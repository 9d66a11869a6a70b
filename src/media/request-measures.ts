import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Config } from '../base/config/config.ts';
import { ffmpegVersion } from './ffmpeg.ts';
import { hashText } from './paint/seeded-random.ts';
import type { RenderRequest } from './render-request.ts';

/**
 * The time that the largest render of a kind takes on a slow and busy machine, in a worker that is starting, in real
 * milliseconds.
 */
const EXPECTED: Record<RenderRequest['kind'], number> = {
  image: 3000,
  thumbnail: 3000,
  speech: 3000,
  clip: 4000,
  song: 5000,
};

const OVERRUN = 10;

/** After how many real milliseconds a render is ended, so that others do not wait behind it for a minute. */
export function timeLimit(kind: RenderRequest['kind']): number {
  return OVERRUN * EXPECTED[kind];
}

/** The limit of the slowest kind. */
export const LONGEST_LIMIT = Math.max(...Object.values(EXPECTED)) * OVERRUN;

const MEBIBYTE = 1_048_576;

/** Memory of all workers and encoders together, in bytes. */
const MOST = 260 * MEBIBYTE;

/** Memory of a worker that has rendered once: its engines, one picture, the pieces of the encoder. */
const WORKER = 30 * MEBIBYTE;

/** What a clip takes in addition, in its worker and its encoder. */
const CLIP = 15 * MEBIBYTE;

const PIXEL = 20;

/** Limits the memory of the renders that run at once: large clips take turns, however many workers there are. */
export class RenderRoom {
  readonly #room: number;
  #taken = 0;

  constructor(workers: number) {
    this.#room = MOST - workers * WORKER;
  }

  /** Whether a request may start now; one that needs more than there is may start when it is alone. */
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

/** Raised with every change that alters the bytes of any render. */
const CODE_VERSION = 17;

/** Everything outside a request that determines its bytes. */
export function renderVersion(ffmpegPath?: string): string {
  const programs = `sharp-${sharpVersion()}-ffmpeg-${ffmpegVersion(ffmpegPath)}`;
  return `${CODE_VERSION}-${process.platform}-${process.arch}-${programs}`;
}

/**
 * Read from its package: loading sharp takes 30 ms, and a service that draws nothing never does. Where there is no sharp,
 * what needs it fails by itself.
 */
function sharpVersion(): string {
  const load = createRequire(import.meta.url);
  try {
    return JSON.parse(readFileSync(join(dirname(load.resolve('sharp')), '../package.json'), 'utf8')).version;
  } catch {
    return 'none';
  }
}

/** Hex SHA-256 of version and request; of a reference its hash counts, not its path. */
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

/** Leaves room for what is sent with a file in one body, such as base64 or a form. */
const MOST_REALISTIC = 9.5 * 1_048_576;
const PICTURE = { least: 1_000_000, most: 2_000_000 };
/** What usual encoders spend on clips of this kind, in bits per pixel of a frame, and frames per second. */
const CLIP_BITS = 0.15;
const FRAMES = 24;
/** Sizes of clips of one length vary by this share up and down. */
const SPREAD = 0.2;

/**
 * The request with the size of its file: the size that a directive names, else a realistic one if the emulator is
 * configured so. Sound has a realistic size anyway.
 */
export function sizedRender(
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
  const share = (hashText(request.prompt, request.seed) % 10_000) / 10_000;
  if (request.kind === 'image') return Math.round(PICTURE.least + share * (PICTURE.most - PICTURE.least));
  const { width, height, seconds } = request;
  const usual = (width * height * FRAMES * seconds * CLIP_BITS) / 8;
  return Math.min(MOST_REALISTIC, Math.round(usual * (1 + SPREAD * (2 * share - 1))));
}
