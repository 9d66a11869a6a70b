import { type FrameHeader, parseFrameHeader } from './frame-header.ts';
import { DECODER_DELAY, type InfoTag, readInfoTag } from './info-tag.ts';

/** A run of MPEG frames, walked from header to header. */
export interface FrameWalk {
  first: FrameHeader;
  /** The first frame's Xing or Info tag, if it has one; that frame is not sound. */
  info?: InfoTag;
  /** Frames of sound that are whole. */
  frames: number;
  /** Samples a channel that a decoder gives, delay and padding taken off where the tag tells them. */
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

/** A hundred megabytes are walked on the main thread, so frames of one kind are told by their bytes, not parsed anew. */
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
