export function mp4Box(type: string, ...parts: Uint8Array[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 8);
  const head = Buffer.allocUnsafe(8);
  head.writeUInt32BE(length, 0);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, ...parts], length);
}

export function fullBox(type: string, flags: number, ...parts: Uint8Array[]): Buffer {
  return mp4Box(type, uint32s(flags), ...parts);
}

export function uint32s(...values: number[]): Buffer {
  const bytes = Buffer.allocUnsafe(values.length * 4);
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value >>> 0, at * 4);
  return bytes;
}

export function uint16s(...values: number[]): Buffer {
  const bytes = Buffer.allocUnsafe(values.length * 2);
  for (const [at, value] of values.entries()) bytes.writeUInt16BE(value & 0xffff, at * 2);
  return bytes;
}

export interface VideoTrack {
  width: number;
  height: number;
  framesPerSecond: number;
  sequenceSet: Buffer;
  pictureSets: Buffer[];
  /** Pictures in decoding order, each as NAL units without lengths and start codes. */
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
  const config = mp4Box(
    'avcC',
    Buffer.from([1]),
    sequenceSet.subarray(1, 4),
    Buffer.from([0xff, 0xe1]),
    sized(sequenceSet),
    Buffer.from([pictureSets.length]),
    ...pictureSets.map(sized),
  );
  return mp4Box(
    'avc1',
    Buffer.alloc(6),
    uint16s(1),
    Buffer.alloc(16),
    uint16s(video.width, video.height),
    uint32s(0x480000, 0x480000, 0),
    uint16s(1),
    Buffer.alloc(32),
    uint16s(24, 0xffff),
    config,
  );
}

function audioEntry(audio: AudioTrack): Buffer {
  const decoder = Buffer.concat([
    Buffer.from([0x40, 0x15, 0, 0, 0]),
    uint32s(BITS_A_SECOND, BITS_A_SECOND),
    descriptor(5, audio.config),
  ]);
  const stream = Buffer.concat([uint16s(2), Buffer.from([0]), descriptor(4, decoder), descriptor(6, Buffer.from([2]))]);
  return mp4Box(
    'mp4a',
    Buffer.alloc(6),
    uint16s(1),
    Buffer.alloc(8),
    uint16s(2, 16, 0, 0),
    uint32s(audio.sampleRate * 65536),
    fullBox('esds', 0, descriptor(3, stream)),
  );
}

function sized(unit: Buffer): Buffer {
  return Buffer.concat([uint16s(unit.length), unit]);
}

function descriptor(tag: number, data: Buffer): Buffer {
  return Buffer.concat([Buffer.from([tag, data.length]), data]);
}

const TICK = 512;
export const MOVIE_TIMESCALE = 48_000;
export const AAC_FRAME_SAMPLES = 1024;
/** Seconds from 1904 to a fixed creation time, so that equal requests give equal bytes. */
export const CREATION_TIME = 3_850_070_400;
export const UNITY_MATRIX = uint32s(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);

export interface SampleTable {
  sizes: number[];
  write: (index: number, out: Buffer, at: number) => number;
  chunks: { first: number; count: number; offset: number }[];
}

export function encodeVideoTrackBox(video: VideoTrack, track: SampleTable, seconds: number): Buffer {
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
    header: fullBox('vmhd', 1, uint16s(0, 0, 0, 0)),
    table: [
      fullBox('stsd', 0, uint32s(1), videoEntry(video)),
      fullBox('stts', 0, uint32s(1, frames, TICK)),
      fullBox('stss', 0, uint32s(video.keys.length, ...video.keys.map((key) => key + 1))),
      ...sampleBoxes(track),
    ],
  });
}

export function encodeAudioTrackBox(audio: AudioTrack, track: SampleTable, seconds: number): Buffer {
  const frames = audio.frames.length;
  return trackBox({
    id: 2,
    isShown: true,
    volume: 0x100,
    width: 0,
    height: 0,
    seconds,
    skipped: AAC_FRAME_SAMPLES,
    scale: audio.sampleRate,
    length: frames * AAC_FRAME_SAMPLES,
    handler: 'soun',
    header: fullBox('smhd', 0, uint16s(0, 0)),
    table: [
      fullBox('stsd', 0, uint32s(1), audioEntry(audio)),
      fullBox('stts', 0, uint32s(1, frames, AAC_FRAME_SAMPLES)),
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
  const shown = track.seconds * MOVIE_TIMESCALE;
  const references = mp4Box('dinf', fullBox('dref', 0, uint32s(1), fullBox('url ', 1)));
  return mp4Box(
    'trak',
    fullBox(
      'tkhd',
      track.isShown ? 3 : 2,
      uint32s(CREATION_TIME, CREATION_TIME, track.id, 0, shown, 0, 0),
      uint16s(0, 0, track.volume, 0),
      UNITY_MATRIX,
      uint32s(track.width << 16, track.height << 16),
    ),
    mp4Box('edts', fullBox('elst', 0, uint32s(1, shown, track.skipped, 0x10000))),
    mp4Box(
      'mdia',
      fullBox('mdhd', 0, uint32s(CREATION_TIME, CREATION_TIME, track.scale, track.length), uint16s(0x55c4, 0)),
      fullBox('hdlr', 0, uint32s(0), Buffer.from(track.handler), uint32s(0, 0, 0), Buffer.from([0])),
      mp4Box('minf', track.header, references, mp4Box('stbl', ...track.table)),
    ),
  );
}

export function sampleBoxes({ sizes, chunks }: SampleTable): Buffer[] {
  const groups = chunks.flatMap((chunk, at) => (chunk.count === chunks[at - 1]?.count ? [] : [at + 1, chunk.count, 1]));
  return [
    fullBox('stsc', 0, uint32s(groups.length / 3, ...groups)),
    fullBox('stsz', 0, uint32s(0, sizes.length, ...sizes)),
    fullBox('stco', 0, uint32s(chunks.length, ...chunks.map((chunk) => chunk.offset))),
  ];
}
