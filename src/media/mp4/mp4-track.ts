// Own code, as the file that it is part of.
import { box, fullBox, shorts, words } from './mp4-box.ts';

/** Pictures in the order of decoding, each one unit or more without lengths or start codes. */
export interface VideoTrack {
  width: number;
  height: number;
  framesPerSecond: number;
  sequenceSet: Buffer;
  pictureSets: Buffer[];
  samples: Buffer[][];
  /** Samples at which decoding can begin. */
  keys: number[];
}

export interface AudioTrack {
  sampleRate: number;
  /** AAC frames of 1024 samples each; the first only primes the decoder. */
  frames: Buffer[];
  config: Buffer;
}

const BITS_A_SECOND = 128_000;

export function videoEntry(video: VideoTrack): Buffer {
  const { sequenceSet, pictureSets } = video;
  const config = box(
    'avcC',
    Buffer.from([1]),
    sequenceSet.subarray(1, 4),
    Buffer.from([0xff, 0xe1]),
    sized(sequenceSet),
    Buffer.from([pictureSets.length]),
    ...pictureSets.map(sized),
  );
  return box(
    'avc1',
    Buffer.alloc(6),
    shorts(1),
    Buffer.alloc(16),
    shorts(video.width, video.height),
    words(0x480000, 0x480000, 0),
    shorts(1),
    Buffer.alloc(32),
    shorts(24, 0xffff),
    config,
  );
}

export function audioEntry(audio: AudioTrack): Buffer {
  const decoder = Buffer.concat([
    Buffer.from([0x40, 0x15, 0, 0, 0]),
    words(BITS_A_SECOND, BITS_A_SECOND),
    descriptor(5, audio.config),
  ]);
  const stream = Buffer.concat([shorts(2), Buffer.from([0]), descriptor(4, decoder), descriptor(6, Buffer.from([2]))]);
  return box(
    'mp4a',
    Buffer.alloc(6),
    shorts(1),
    Buffer.alloc(8),
    shorts(2, 16, 0, 0),
    words(audio.sampleRate * 65536),
    fullBox('esds', 0, descriptor(3, stream)),
  );
}

function sized(unit: Buffer): Buffer {
  return Buffer.concat([shorts(unit.length), unit]);
}

function descriptor(tag: number, data: Buffer): Buffer {
  return Buffer.concat([Buffer.from([tag, data.length]), data]);
}
