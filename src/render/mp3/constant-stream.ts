import { parseFrameHeader } from './frame-header.ts';
import { DECODER_DELAY, ENCODER_DELAY, writeInfoFrame } from './info-tag.ts';

/** Sample rate, channels and bitrate of a stream in which every frame has the same length. */
export interface ConstantFormat {
  sampleRate: number;
  channels: 1 | 2;
  /** Kilobits a second. */
  kbits: number;
  /** Samples of one frame, a channel. */
  frameSamples: number;
  frameBytes: number;
}

/** 320 kbit/s, 48 kHz, stereo: a frame is 960 bytes and 24 ms. */
export const SONG_FORMAT: ConstantFormat = {
  sampleRate: 48_000,
  channels: 2,
  kbits: 320,
  frameSamples: 1152,
  frameBytes: 960,
};

/** 64 kbit/s, 16 kHz, mono: a voice needs no more, and the longest text is coded in two thirds of the time that 24 kHz take. */
export const SPEECH_FORMAT: ConstantFormat = {
  sampleRate: 16_000,
  channels: 1,
  kbits: 64,
  frameSamples: 576,
  frameBytes: 288,
};

/** Frames that hold `samples` samples and both delays. */
export function framesFor(samples: number, format: ConstantFormat): number {
  return Math.ceil((samples + ENCODER_DELAY + DECODER_DELAY) / format.frameSamples);
}

/** The Info frame to put before `frames` (a whole number of frames of `format`), so that decoders give exactly `samples` samples. */
export function infoFrameFor(frames: Buffer, samples: number, format: ConstantFormat): Buffer {
  const header = parseFrameHeader(frames, 0);
  if (header?.bytes !== format.frameBytes) throw new Error('The encoder wrote frames of another format.');
  const count = frames.length / format.frameBytes;
  const padding = count * format.frameSamples - samples - ENCODER_DELAY;
  return writeInfoFrame(frames, header, { frames: count, delay: ENCODER_DELAY, padding });
}
