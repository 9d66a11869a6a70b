import type { AudioFault, ProbedAudio } from '../probed-audio.ts';
import { type FrameWalk, walkFrames } from './frame-walk.ts';
import { readTag } from './id3-reader.ts';
import { tagLength } from './id3-tag.ts';
import { carriedText } from './own-tag.ts';

/** Tags that other programs put behind the sound, after zeros or at once. */
const TRAILERS = /^(TAG|APETAGEX|LYRICSBEGIN|ID3|3DI)/;

/** More tags than these at the beginning of a file are no programs' doing. */
const MOST_TAGS = 64;
const ZEROS = Buffer.alloc(65_536);

/** Walks the tags and frames of an MP3 file; undefined where it is none. */
export function probeMp3(bytes: Buffer): ProbedAudio | AudioFault | undefined {
  const start = skipTags(bytes);
  if (start === undefined) return { fault: `it begins with over ${MOST_TAGS} ID3 tags.` };
  if (start > bytes.length) return { fault: 'its ID3 tag is longer than the file.' };
  const walk = walkFrames(bytes, start);
  if (!walk || !convincing(bytes, start, walk)) return undefined;
  const fault = walkFault(bytes, walk);
  if (fault) return { fault };
  const seconds = walk.samples / walk.first.sampleRate;
  const text = start > 0 ? carriedText(readTag(bytes)) : undefined;
  return text === undefined ? { format: 'mp3', seconds } : { format: 'mp3', seconds, text };
}

/** Where the sound begins; undefined behind too many tags. */
function skipTags(bytes: Buffer): number | undefined {
  let at = 0;
  for (let tags = 0; tags <= MOST_TAGS; tags += 1) {
    const length = tagLength(bytes, at);
    if (length === undefined) return at;
    at += length;
    if (at >= bytes.length) return at;
  }
  return undefined;
}

/** Four bytes can look like a header by chance: without a tag, a second frame, an Info tag or the file's end must follow. */
function convincing(bytes: Buffer, start: number, walk: FrameWalk): boolean {
  const soleFrame = start + walk.first.bytes;
  return start > 0 || walk.end > soleFrame || bytes.length <= soleFrame || walk.info !== undefined;
}

function walkFault(bytes: Buffer, walk: FrameWalk): string | undefined {
  if (walk.cut) return `its last frame, at byte ${walk.end}, is cut.`;
  if (walk.frames === 0) return 'it holds no frame of sound.';
  const said = walk.info?.frames;
  if (said !== undefined && said > walk.frames) {
    return `its header says ${said} frames, it has ${walk.frames}.`;
  }
  return isTrailer(bytes, walk.end) ? undefined : `no MPEG frame begins at byte ${walk.end}.`;
}

function isTrailer(bytes: Buffer, end: number): boolean {
  const at = zerosEnd(bytes, end);
  return at === bytes.length || TRAILERS.test(bytes.toString('latin1', at, at + 11));
}

/** There may be a hundred megabytes of them, which are compared many at a time. */
function zerosEnd(bytes: Buffer, from: number): number {
  let at = from;
  while (at + ZEROS.length <= bytes.length && bytes.compare(ZEROS, 0, ZEROS.length, at, at + ZEROS.length) === 0) {
    at += ZEROS.length;
  }
  while (at < bytes.length && bytes[at] === 0) at += 1;
  return at;
}
