// Own code: songs are joined of frames, which no encoder does; a song of 240 s is there ten times as soon.
import { type FrameHeader, parseFrameHeader } from './frame-header.ts';

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

/** What a Xing or Info frame says of the frames after it. */
export interface InfoTag {
  /** Audio frames after this one; absent where the tag does not say. */
  frames?: number;
  /** Samples that the encoder put before the sound; a decoder adds 529 of its own. */
  delay: number;
  /** Samples after the sound. */
  padding: number;
}

/** Every Layer III decoder is late by this many samples. */
export const DECODER_DELAY = 529;

/** Delay of the LAME encoder. */
const ENCODER_DELAY = 576;

const HAS_FRAMES = 1;
const HAS_BYTES = 2;
const HAS_INDEX = 4;
const INDEX_BYTES = 100;
const CONSTANT_RATE = 1;
/** What LAME's own part of the tag says of the channels, and of the rate before it was coded. */
const [MONO, STEREO] = [0, 1 << 2];

const HAS_QUALITY = 8;

/** The Xing or Info tag in the frame at `offset`, or undefined where the frame holds sound. */
export function readInfoTag(bytes: Buffer, offset: number, header: FrameHeader): InfoTag | undefined {
  const frame = bytes.subarray(offset, offset + header.bytes);
  const at = header.mainDataOffset;
  const name = frame.toString('latin1', at, at + 4);
  if ((name !== 'Xing' && name !== 'Info') || at + 8 > frame.length) return undefined;
  const flags = frame.readUInt32BE(at + 4);
  const framesAt = at + 8;
  const encoderAt =
    framesAt +
    (flags & HAS_FRAMES ? 4 : 0) +
    (flags & HAS_BYTES ? 4 : 0) +
    (flags & HAS_INDEX ? INDEX_BYTES : 0) +
    (flags & HAS_QUALITY ? 4 : 0);
  const hasFrames = (flags & HAS_FRAMES) !== 0 && framesAt + 4 <= frame.length;
  return {
    frames: hasFrames ? frame.readUInt32BE(framesAt) : undefined,
    ...readGap(frame, encoderAt),
  };
}

function readGap(frame: Buffer, encoderAt: number): { delay: number; padding: number } {
  const at = encoderAt + 21;
  const known = /^(LAME|Lavf|Lavc)/.test(frame.toString('latin1', encoderAt, encoderAt + 4));
  if (!known || at + 3 > frame.length) return { delay: 0, padding: 0 };
  const packed = frame.readUIntBE(at, 3);
  return { delay: packed >>> 12, padding: packed & 0xfff };
}

/**
 * A silent frame like `model` (a frame of the stream it stands before) whose Info tag lets decoders
 * cut the encoder's delay and the padding, so that they give exactly the samples that went in.
 */
export function writeInfoFrame(model: Buffer, header: FrameHeader, tag: Required<InfoTag>): Buffer {
  const frame = Buffer.alloc(header.bytes);
  model.copy(frame, 0, 0, 4);
  const at = header.mainDataOffset;
  frame.write('Info', at, 'latin1');
  frame.writeUInt32BE(HAS_FRAMES | HAS_BYTES | HAS_INDEX | HAS_QUALITY, at + 4);
  frame.writeUInt32BE(tag.frames, at + 8);
  frame.writeUInt32BE((tag.frames + 1) * header.bytes, at + 12);
  for (let i = 0; i < INDEX_BYTES; i++) frame[at + 16 + i] = Math.floor((i * 256) / INDEX_BYTES);
  const encoderAt = at + 16 + INDEX_BYTES + 4;
  frame.write('LAME3.100', encoderAt, 'latin1');
  frame[encoderAt + 9] = CONSTANT_RATE;
  frame[encoderAt + 20] = Math.min(255, header.bitrate / 1000);
  frame.writeUIntBE((tag.delay << 12) | tag.padding, encoderAt + 21, 3);
  frame[encoderAt + 24] = (header.channels === 2 ? STEREO : MONO) | sourceRate(header.sampleRate);
  return frame;
}

function sourceRate(hertz: number): number {
  const rank = [32_000, 44_100, 48_000].findIndex((rate) => hertz <= rate);
  return (rank < 0 ? 3 : rank) << 6;
}
