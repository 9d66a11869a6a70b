import type { RenderTools } from '../render-request.ts';

export interface FrameHeader {
  version: 1 | 2 | 2.5;
  sampleRate: number;
  channels: 1 | 2;
  bitrate: number;
  samples: number;
  bytes: number;
  mainDataOffset: number;
}

const SAMPLE_RATES = [44100, 48000, 32000];
const KBITS_VERSION_1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const KBITS_VERSION_2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const VERSIONS = [2.5, undefined, 2, 1] as const;
const LAYER_THREE = 1;

export function parseFrameHeader(bytes: Buffer, offset: number): FrameHeader | undefined {
  if (offset + 4 > bytes.length) return undefined;
  const word = bytes.readUInt32BE(offset);
  const version = VERSIONS[(word >>> 19) & 3];
  if (word >>> 21 !== 0x7ff || version === undefined || ((word >>> 17) & 3) !== LAYER_THREE) {
    return undefined;
  }
  const kbits = (version === 1 ? KBITS_VERSION_1 : KBITS_VERSION_2)[(word >>> 12) & 15];
  const rate = SAMPLE_RATES[(word >>> 10) & 3];
  if (!kbits || !rate || (word & 3) === 2) return undefined;
  return describe(word, version, kbits * 1000, rate);
}

function describe(word: number, version: 1 | 2 | 2.5, bitrate: number, rate: number): FrameHeader {
  const sampleRate = version === 1 ? rate : version === 2 ? rate / 2 : rate / 4;
  const channels = ((word >>> 6) & 3) === 3 ? 1 : 2;
  const samples = version === 1 ? 1152 : 576;
  const padding = (word >>> 9) & 1;
  const checksum = (word >>> 16) & 1 ? 0 : 2;
  const mono = channels === 1;
  const sideInformation = version === 1 ? (mono ? 17 : 32) : mono ? 9 : 17;
  return {
    version,
    sampleRate,
    channels,
    bitrate,
    samples,
    bytes: Math.floor((samples / 8) * (bitrate / sampleRate)) + padding,
    mainDataOffset: 4 + checksum + sideInformation,
  };
}

interface ConstantFormat {
  sampleRate: number;
  channels: 1 | 2;
  kbits: number;
  frameSamples: number;
  frameBytes: number;
}

export const SONG_FORMAT: ConstantFormat = {
  sampleRate: 48_000,
  channels: 2,
  kbits: 320,
  frameSamples: 1152,
  frameBytes: 960,
};

/** Encoding at 16 kHz takes two thirds of the time that it takes at 24 kHz. */
export const SPEECH_FORMAT: ConstantFormat = {
  sampleRate: 16_000,
  channels: 1,
  kbits: 64,
  frameSamples: 576,
  frameBytes: 288,
};

export function frameCount(samples: number, format: ConstantFormat): number {
  return Math.ceil((samples + ENCODER_DELAY + DECODER_DELAY) / format.frameSamples);
}

export function infoFrameFor(frames: Buffer, samples: number, format: ConstantFormat): Buffer {
  const header = parseFrameHeader(frames, 0);
  if (header?.bytes !== format.frameBytes) throw new Error('The encoder wrote frames of another format.');
  const count = frames.length / format.frameBytes;
  const padding = count * format.frameSamples - samples - ENCODER_DELAY;
  return encodeInfoFrame(frames, header, { frames: count, delay: ENCODER_DELAY, padding });
}

export interface InfoTag {
  frames?: number;
  delay: number;
  padding: number;
}

/** Every Layer III decoder delays the sound by this many samples. */
export const DECODER_DELAY = 529;

const ENCODER_DELAY = 576;

const HAS_FRAMES = 1;
const HAS_BYTES = 2;
const HAS_INDEX = 4;
const INDEX_BYTES = 100;
const CONSTANT_RATE = 1;
const [MONO, STEREO] = [0, 1 << 2];

const HAS_QUALITY = 8;

export function parseInfoTag(bytes: Buffer, offset: number, header: FrameHeader): InfoTag | undefined {
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

export function encodeInfoFrame(model: Buffer, header: FrameHeader, tag: Required<InfoTag>): Buffer {
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

type Pieces = AsyncIterable<Int16Array> | Iterable<Int16Array>;

/** Without a bit reservoir no frame borrows bits of another, so frames can be copied and reordered. */
const BARE = ['-reservoir', '0', '-write_xing', '0', '-flush_packets', '0', '-id3v2_version', '0', '-f', 'mp3'];
const QUICK = ['-compression_level', '9', '-joint_stereo', '0'];

export function encodeMp3(pieces: Pieces, format: ConstantFormat, { ffmpeg, signal }: RenderTools): Promise<Buffer> {
  const { sampleRate, channels, kbits } = format;
  const run = {
    input: bytesOf(pieces),
    format: 's16le',
    decoders: ['pcm_s16le'],
    inputOptions: ['-ar', `${sampleRate}`, '-ac', `${channels}`],
    outputOptions: ['-c:a', 'libmp3lame', '-b:a', `${kbits}k`, ...QUICK, ...BARE],
  };
  return ffmpeg.run(run, signal);
}

async function* bytesOf(pieces: Pieces): AsyncGenerator<Buffer> {
  for await (const { buffer, byteOffset, byteLength } of pieces) yield Buffer.from(buffer, byteOffset, byteLength);
}
