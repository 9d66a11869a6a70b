import type { ChoiceId } from '../../base/errors.ts';
import { type FrameHeader, parseFrameHeader } from './frame-header.ts';
import { readTag, tagLength } from './id3-tag.ts';
import { carriedText } from './own-tag.ts';
import { DECODER_DELAY, type InfoTag, readInfoTag } from './stream-format.ts';

/** What an uploaded sound file is. */
export interface ProbedAudio {
  format: 'wav' | 'mp3';
  /** Real length, from the structure of the file. */
  seconds: number;
  /** What the tags of a file of ours carry: the words spoken, or the lyrics (empty for an instrumental). */
  text?: string;
}

/** Why a file that looks like audio cannot be read: the second half of a sentence. */
export interface AudioFault {
  fault: string;
  /** That by which it is refused, where the service leaves that open. */
  choice?: ChoiceId;
}

/** Tags that other programs put behind the sound, after zeros or at once. */
const TRAILERS = /^(TAG|APETAGEX|LYRICSBEGIN|ID3|3DI)/;

/** More tags than these at the beginning of a file are no programs' doing. */
const MOST_TAGS = 64;
const ZEROS = Buffer.alloc(65_536);

/** Walks the tags and frames of an MP3 file; undefined where it is none. */
export function probeMp3(bytes: Buffer): ProbedAudio | AudioFault | undefined {
  const start = skipTags(bytes);
  if (start === undefined) return { fault: `it begins with over ${MOST_TAGS} ID3 tags.`, choice: 'C031' };
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

/** A run of MPEG frames, walked from header to header. */
interface FrameWalk {
  first: FrameHeader;
  /** The first frame's Xing or Info tag, if it has one; that frame is not sound. */
  info?: InfoTag;
  /** Frames of sound that are whole. */
  frames: number;
  /** Samples a channel that a decoder gives, delay and padding taken off where the tag has them. */
  samples: number;
  /** Where the last whole frame ends. */
  end: number;
  /** Whether a frame began at `end` whose bytes are not all there. */
  cut: boolean;
}

/** Walks the frames that begin at `start`; undefined where no frame stands there. Stops at the first byte that begins no frame of the same kind. */
export function walkFrames(bytes: Buffer, start: number): FrameWalk | undefined {
  const first = parseFrameHeader(bytes, start);
  if (!first) return undefined;
  const info = readInfoTag(bytes, start, first);
  const { count, end, cut } = countFrames(bytes, start);
  const frames = Math.max(0, count - (info ? 1 : 0));
  return { first, info, frames, samples: heardSamples(frames * first.samples, info), end, cut };
}

/** A hundred megabytes are walked on the main thread, so frames of one kind are recognised by their bytes, not parsed anew. */
function countFrames(bytes: Buffer, start: number) {
  const lengths = lengthsOfKind(bytes.subarray(start, start + 4));
  const second = bytes[start + 1];
  let count = 0;
  let end = start;
  for (;;) {
    const begins = end + 4 <= bytes.length && bytes[end] === 0xff && bytes[end + 1] === second;
    const length = begins ? (lengths[bytes[end + 2] as number] as number) : 0;
    if (length === 0) return { count, end, cut: false };
    if (end + length > bytes.length) return { count, end, cut: true };
    end += length;
    count++;
  }
}

/** The length of a frame by the third byte of its header, where version, checksum and sample rate are those of `header`; 0 for others. */
function lengthsOfKind(header: Buffer): Int32Array {
  const rate = parseFrameHeader(header, 0)?.sampleRate;
  return Int32Array.from({ length: 256 }, (_, third) => {
    const like = Buffer.from(header);
    like[2] = third;
    const parsed = parseFrameHeader(like, 0);
    return parsed?.sampleRate === rate ? (parsed?.bytes ?? 0) : 0;
  });
}

function heardSamples(samples: number, info: InfoTag | undefined): number {
  if (!info || info.delay + info.padding === 0) return samples;
  const delay = info.delay + DECODER_DELAY;
  return Math.max(0, samples - delay - Math.max(0, info.padding - DECODER_DELAY));
}
