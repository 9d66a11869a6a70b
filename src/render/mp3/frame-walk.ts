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
  const { count, end, cut } = countFrames(bytes, start, first);
  const frames = Math.max(0, count - (info ? 1 : 0));
  return { first, info, frames, samples: heardSamples(frames * first.samples, info), end, cut };
}

function countFrames(bytes: Buffer, start: number, first: FrameHeader) {
  let count = 0;
  let end = start;
  for (;;) {
    const header = parseFrameHeader(bytes, end);
    if (!header || !sameKind(header, first)) return { count, end, cut: false };
    if (end + header.bytes > bytes.length) return { count, end, cut: true };
    end += header.bytes;
    count++;
  }
}

function sameKind(a: FrameHeader, b: FrameHeader): boolean {
  return a.version === b.version && a.sampleRate === b.sampleRate;
}

function heardSamples(samples: number, info: InfoTag | undefined): number {
  if (!info || info.delay + info.padding === 0) return samples;
  const delay = info.delay + DECODER_DELAY;
  return Math.max(0, samples - delay - Math.max(0, info.padding - DECODER_DELAY));
}
