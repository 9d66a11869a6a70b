import type { AudioFault, ProbedAudio } from '../probed-audio.ts';
import { readTag, tagLength } from './id3-tag.ts';
import { carriedText } from './own-tag.ts';
import { DECODER_DELAY, type FrameHeader, type InfoTag, parseFrameHeader, readInfoTag } from './stream-format.ts';

/** No program writes more tags at the beginning of a file. */
const MOST_TAGS = 64;
const ZEROS = Buffer.alloc(65_536);
/** The most bytes without a frame that are searched, before the first frame and in all holes together. */
const MOST_SEARCHED = 262_144;
/** This many frames in a row are no coincidence. */
const SURE_FRAMES = 3;

/** Skips what decoders skip: tags, zeros, cut frames and holes. Returns undefined if the file is not an MP3. */
export function probeMp3(bytes: Buffer): ProbedAudio | AudioFault | undefined {
  const tagged = skipTags(bytes);
  if (tagged === undefined) return { fault: `it begins with over ${MOST_TAGS} tags.`, choice: 'C031' };
  if (tagged > bytes.length) return { fault: 'its ID3 tag is longer than the file.' };
  const start = firstFrame(bytes, tagged);
  const walk = start === undefined ? undefined : walkFrames(bytes, start);
  if (start === undefined || !walk) return undefined;
  const sound = soundBehind(bytes, walk);
  if (walk.frames + sound === 0) return { fault: 'it has no frame of sound.' };
  const seconds = (walk.samples + sound * walk.first.samples) / walk.first.sampleRate;
  const text = tagged > 0 ? carriedText(readTag(bytes)) : undefined;
  return text === undefined ? { format: 'mp3', seconds } : { format: 'mp3', seconds, text };
}

function skipTags(bytes: Buffer): number | undefined {
  let at = zerosEnd(bytes, 0);
  for (let tags = 0; tags <= MOST_TAGS; tags += 1) {
    const length = tagLength(bytes, at) ?? apeTagLength(bytes, at);
    if (length === undefined) return at;
    at += length;
    if (at >= bytes.length) return at;
    at = zerosEnd(bytes, at);
  }
  return undefined;
}

const APE_HEADER_BYTES = 32;

function apeTagLength(bytes: Buffer, at: number): number | undefined {
  if (bytes.toString('latin1', at, at + 8) !== 'APETAGEX' || at + APE_HEADER_BYTES > bytes.length) return undefined;
  return APE_HEADER_BYTES + bytes.readUInt32LE(at + 12);
}

/** Four bytes can look like a header by chance, so a frame counts only at the expected place or in a row of several. */
function firstFrame(bytes: Buffer, from: number): number | undefined {
  const walk = walkFrames(bytes, from);
  if (walk) {
    const sole = from + walk.first.bytes;
    if (from > 0 || walk.end > sole || bytes.length <= sole || walk.info) return from;
  }
  return searchFrames(bytes, from, MOST_SEARCHED);
}

function searchFrames(bytes: Buffer, from: number, within: number): number | undefined {
  const end = Math.min(bytes.length, from + within);
  for (let at = bytes.indexOf(0xff, from); at !== -1 && at < end; at = bytes.indexOf(0xff, at + 1)) {
    if (isRow(bytes, at)) return at;
  }
  return undefined;
}

function isRow(bytes: Buffer, start: number): boolean {
  let at = start;
  const first = parseFrameHeader(bytes, at);
  for (let count = 0; count < SURE_FRAMES; count += 1) {
    const header = parseFrameHeader(bytes, at);
    if (!header || header.sampleRate !== first?.sampleRate || at + header.bytes > bytes.length) return false;
    at += header.bytes;
  }
  return true;
}

function soundBehind(bytes: Buffer, walk: FrameWalk): number {
  let [frames, left, end] = [0, MOST_SEARCHED, walk.end];
  while (left > 0 && end < bytes.length) {
    const from = zerosEnd(bytes, end);
    const next = searchFrames(bytes, from, left);
    const more = next === undefined ? undefined : walkFrames(bytes, next);
    if (next === undefined || !more || more.first.sampleRate !== walk.first.sampleRate) break;
    frames += more.frames;
    left -= next - from + 1;
    end = more.end;
  }
  return frames;
}

function zerosEnd(bytes: Buffer, from: number): number {
  let at = from;
  while (at + ZEROS.length <= bytes.length && bytes.compare(ZEROS, 0, ZEROS.length, at, at + ZEROS.length) === 0) {
    at += ZEROS.length;
  }
  while (at < bytes.length && bytes[at] === 0) at += 1;
  return at;
}

interface FrameWalk {
  first: FrameHeader;
  /** A frame with a Xing or Info tag is not sound. */
  info?: InfoTag;
  frames: number;
  /** Samples per channel after decoding, without delay and padding if the tag states them. */
  samples: number;
  end: number;
  cut: boolean;
}

export function walkFrames(bytes: Buffer, start: number): FrameWalk | undefined {
  const first = parseFrameHeader(bytes, start);
  if (!first) return undefined;
  const info = readInfoTag(bytes, start, first);
  const { count, end, cut } = countFrames(bytes, start);
  const frames = Math.max(0, count - (info ? 1 : 0));
  return { first, info, frames, samples: heardSamples(frames * first.samples, info), end, cut };
}

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
