import { id3TagLength } from '../../../src/media/mp3/id3-tag.ts';
import { parseFrameHeader } from '../../../src/media/mp3/stream-format.ts';

/** All frames of a file after its tag. Throws if a frame does not begin where the previous one ends. */
export function framesOf(bytes: Buffer): Buffer[] {
  const frames: Buffer[] = [];
  for (let at = id3TagLength(bytes, 0) ?? 0; at < bytes.length; ) {
    const header = parseFrameHeader(bytes, at);
    if (!header) throw new Error(`No frame begins at byte ${at}.`);
    frames.push(bytes.subarray(at, at + header.bytes));
    at += header.bytes;
  }
  return frames;
}

/** How many bytes of earlier frames a frame of MPEG-1 needs. */
export function borrowedBytes(frame: Buffer): number {
  return bits(frame, 0, 9);
}

const SIDE_START_BITS = 9 + 3 + 8;
const GRANULE_BITS = 59;
const SWITCH_BIT = 12 + 9 + 8 + 4;

/** The window of each granule of one channel of a stereo frame: 0 long, 1 start, 2 short, 3 stop. */
export function windowsOf(frame: Buffer, channel: 0 | 1): number[] {
  return [0, 1].map((granule) => {
    const at = SIDE_START_BITS + (granule * 2 + channel) * GRANULE_BITS + SWITCH_BIT;
    return bits(frame, at, 1) === 1 ? bits(frame, at + 1, 2) : 0;
  });
}

function bits(frame: Buffer, from: number, count: number): number {
  let value = 0;
  for (let i = from; i < from + count; i++) {
    value = value * 2 + (((frame[4 + (i >> 3)] ?? 0) >> (7 - (i & 7))) & 1);
  }
  return value;
}
