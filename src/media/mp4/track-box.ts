export function box(type: string, ...parts: Uint8Array[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 8);
  const head = Buffer.allocUnsafe(8);
  head.writeUInt32BE(length, 0);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, ...parts], length);
}

export function fullBox(type: string, flags: number, ...parts: Uint8Array[]): Buffer {
  return box(type, words(flags), ...parts);
}

export function words(...values: number[]): Buffer {
  const bytes = Buffer.allocUnsafe(values.length * 4);
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value >>> 0, at * 4);
  return bytes;
}

export function shorts(...values: number[]): Buffer {
  const bytes = Buffer.allocUnsafe(values.length * 2);
  for (const [at, value] of values.entries()) bytes.writeUInt16BE(value & 0xffff, at * 2);
  return bytes;
}

/** Pictures in decoding order, each as units without lengths and start codes. */
export interface VideoTrack {
  width: number;
  height: number;
  framesPerSecond: number;
  sequenceSet: Buffer;
  pictureSets: Buffer[];
  samples: Buffer[][];
  keys: number[];
}

export interface AudioTrack {
  sampleRate: number;
  /** AAC frames of 1024 samples. The first one only primes the decoder. */
  frames: Buffer[];
  config: Buffer;
}

const BITS_A_SECOND = 128_000;

function videoEntry(video: VideoTrack): Buffer {
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

function audioEntry(audio: AudioTrack): Buffer {
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

const TICK = 512;
export const MOVIE_SCALE = 48_000;
export const AAC_FRAME = 1024;
/** Seconds from 1904 to a fixed creation time, so that equal requests give equal bytes. */
export const CREATED = 3_850_070_400;
export const UNITY = words(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);

export interface Sampled {
  sizes: number[];
  write: (index: number, out: Buffer, at: number) => number;
  chunks: { first: number; count: number; offset: number }[];
}

export function videoTrack(video: VideoTrack, track: Sampled, seconds: number): Buffer {
  const { width, height, framesPerSecond } = video;
  const frames = track.sizes.length;
  return trackBox({
    id: 1,
    isShown: true,
    volume: 0,
    width,
    height,
    seconds,
    skipped: 0,
    scale: framesPerSecond * TICK,
    length: frames * TICK,
    handler: 'vide',
    header: fullBox('vmhd', 1, shorts(0, 0, 0, 0)),
    table: [
      fullBox('stsd', 0, words(1), videoEntry(video)),
      fullBox('stts', 0, words(1, frames, TICK)),
      fullBox('stss', 0, words(video.keys.length, ...video.keys.map((key) => key + 1))),
      ...sampleBoxes(track),
    ],
  });
}

export function audioTrack(audio: AudioTrack, track: Sampled, seconds: number): Buffer {
  const frames = audio.frames.length;
  return trackBox({
    id: 2,
    isShown: true,
    volume: 0x100,
    width: 0,
    height: 0,
    seconds,
    skipped: AAC_FRAME,
    scale: audio.sampleRate,
    length: frames * AAC_FRAME,
    handler: 'soun',
    header: fullBox('smhd', 0, shorts(0, 0)),
    table: [
      fullBox('stsd', 0, words(1), audioEntry(audio)),
      fullBox('stts', 0, words(1, frames, AAC_FRAME)),
      ...sampleBoxes(track),
    ],
  });
}

interface TrackShape {
  id: number;
  isShown: boolean;
  volume: number;
  width: number;
  height: number;
  seconds: number;
  skipped: number;
  scale: number;
  length: number;
  handler: string;
  header: Buffer;
  table: Buffer[];
}

export function trackBox(track: TrackShape): Buffer {
  const shown = track.seconds * MOVIE_SCALE;
  const references = box('dinf', fullBox('dref', 0, words(1), fullBox('url ', 1)));
  return box(
    'trak',
    fullBox(
      'tkhd',
      track.isShown ? 3 : 2,
      words(CREATED, CREATED, track.id, 0, shown, 0, 0),
      shorts(0, 0, track.volume, 0),
      UNITY,
      words(track.width << 16, track.height << 16),
    ),
    box('edts', fullBox('elst', 0, words(1, shown, track.skipped, 0x10000))),
    box(
      'mdia',
      fullBox('mdhd', 0, words(CREATED, CREATED, track.scale, track.length), shorts(0x55c4, 0)),
      fullBox('hdlr', 0, words(0), Buffer.from(track.handler), words(0, 0, 0), Buffer.from([0])),
      box('minf', track.header, references, box('stbl', ...track.table)),
    ),
  );
}

export function sampleBoxes({ sizes, chunks }: Sampled): Buffer[] {
  const groups = chunks.flatMap((chunk, at) => (chunk.count === chunks[at - 1]?.count ? [] : [at + 1, chunk.count, 1]));
  return [
    fullBox('stsc', 0, words(groups.length / 3, ...groups)),
    fullBox('stsz', 0, words(0, sizes.length, ...sizes)),
    fullBox('stco', 0, words(chunks.length, ...chunks.map((chunk) => chunk.offset))),
  ];
}
