// Own code, as the file that it is part of.
import { box, fullBox, shorts, words } from './mp4-box.ts';
import { type AudioTrack, audioEntry, type VideoTrack, videoEntry } from './mp4-track.ts';

/** Ticks a frame in the video's time scale. */
const TICK = 512;
/** Ticks a second of the whole film. */
export const MOVIE_SCALE = 48_000;
/** Samples a frame. */
export const AAC_FRAME = 1024;
/** Seconds from 1904, where MP4 begins to count, to the time that all files tell as their creation: the same request makes the same bytes whenever. */
export const CREATED = 3_850_070_400;
/** Shown neither turned nor scaled. */
export const UNITY = words(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);

/** A track's samples in the order of decoding, and how they lie in the file. */
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
  /** Media time that is not shown at the beginning. */
  skipped: number;
  scale: number;
  length: number;
  handler: string;
  header: Buffer;
  table: Buffer[];
}

/** A track as the movie's box lists it. */
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

/** Which samples lie in which chunk, how long they are, and where the chunks begin. */
export function sampleBoxes({ sizes, chunks }: Sampled): Buffer[] {
  const groups = chunks.flatMap((chunk, at) => (chunk.count === chunks[at - 1]?.count ? [] : [at + 1, chunk.count, 1]));
  return [
    fullBox('stsc', 0, words(groups.length / 3, ...groups)),
    fullBox('stsz', 0, words(0, sizes.length, ...sizes)),
    fullBox('stco', 0, words(chunks.length, ...chunks.map((chunk) => chunk.offset))),
  ];
}
