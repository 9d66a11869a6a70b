import { createHash } from 'node:crypto';
import { ffmpegVersion } from './ffmpeg.ts';
import type { RenderRequest } from './render-request.ts';

/** Raised with every change that alters the bytes of any render. */
const CODE_VERSION = 13;

/** Everything outside a request that determines its bytes. */
export function renderVersion(ffmpegPath?: string): string {
  return `${CODE_VERSION}-${process.platform}-${process.arch}-ffmpeg-${ffmpegVersion(ffmpegPath)}`;
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
