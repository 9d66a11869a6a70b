import type { Config } from '../config/config.ts';
import type { Directives } from '../faults/directives.ts';
import { hashText } from '../render/paint/seeded-random.ts';
import type { RenderRequest } from '../render/render-request.ts';

/** Room is left for what else goes with a file in one body, such as base64 or a form. */
const MOST_REALISTIC = 9.5 * 1_048_576;
const PICTURE = { least: 1_000_000, most: 2_000_000 };
/** What encoders in use spend on moving pictures of this kind, in bits for a pixel of a frame, and how many frames a second. */
const CLIP_BITS = 0.15;
const FRAMES = 24;
/** Clips of one length differ by this share to either side. */
const SPREAD = 0.2;

/**
 * The request with the size that its file is to have: the one that a directive names, else one as large as life where the
 * emulator is told so. Sound is as large by itself.
 */
export function sizedRender(
  request: RenderRequest,
  { bytes }: Directives,
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
