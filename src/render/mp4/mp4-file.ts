import { box, fullBox, runs, shorts, words } from './mp4-box.ts';
import type { AudioTrack, VideoTrack } from './mp4-track.ts';
import { audioEntry, videoEntry } from './sample-entry.ts';

/** Ticks a frame in the video's time scale. */
const TICK = 512;
const MOVIE_SCALE = 48_000;
const AAC_FRAME = 1024;
const UNITY = words(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);

interface Sampled {
  sizes: number[];
  write: (index: number, out: Buffer, at: number) => number;
  chunks: { first: number; count: number; offset: number }[];
}

/** A whole MP4 with the index first; sound and picture lie second by second beside each other. */
export function encodeMp4(
  video: VideoTrack,
  audio: AudioTrack | undefined,
  seconds: number,
): Buffer {
  const pictures = pictureSamples(video);
  const sounds = audio ? soundSamples(audio) : undefined;
  const order = interleave(pictures, sounds, { video, audio, seconds });
  const type = box('ftyp', Buffer.from('isom'), words(0x200), Buffer.from('isomiso2avc1mp41'));
  const index = () =>
    box(
      'moov',
      fullBox(
        'mvhd',
        0,
        words(0, 0, MOVIE_SCALE, seconds * MOVIE_SCALE, 0x10000),
        shorts(0x100, 0),
        words(0, 0),
        UNITY,
        words(0, 0, 0, 0, 0, 0, 3),
      ),
      videoTrack(video, pictures, seconds),
      ...(audio && sounds ? [audioTrack(audio, sounds, seconds)] : []),
    );
  const start = type.length + index().length + 8;
  const length = place(order, start);
  const out = Buffer.allocUnsafe(length);
  let at = type.copy(out, 0);
  at += index().copy(out, at);
  at = out.writeUInt32BE(length - start + 8, at);
  at += out.write('mdat', at, 'latin1');
  for (const { track, chunk } of order) {
    for (let sample = chunk.first; sample < chunk.first + chunk.count; sample++)
      at = track.write(sample, out, at);
  }
  return out;
}

function pictureSamples(video: VideoTrack): Sampled {
  const sizes = video.samples.map((units) => units.reduce((sum, unit) => sum + unit.length + 4, 0));
  const write = (index: number, out: Buffer, from: number) => {
    let at = from;
    for (const unit of video.samples[index] ?? []) {
      at = out.writeUInt32BE(unit.length, at);
      at += unit.copy(out, at);
    }
    return at;
  };
  return { sizes, write, chunks: [] };
}

function soundSamples(audio: AudioTrack): Sampled {
  const sizes = audio.frames.map((frame) => frame.length);
  const write = (index: number, out: Buffer, at: number) =>
    at + (audio.frames[index]?.copy(out, at) ?? 0);
  return { sizes, write, chunks: [] };
}

type Order = { track: Sampled; chunk: Sampled['chunks'][number] }[];

function interleave(
  pictures: Sampled,
  sounds: Sampled | undefined,
  { video, audio, seconds }: { video: VideoTrack; audio: AudioTrack | undefined; seconds: number },
): Order {
  const order: Order = [];
  const add = (track: Sampled, to: number) => {
    const last = track.chunks.at(-1);
    const first = last ? last.first + last.count : 0;
    if (to <= first) return;
    const chunk = { first, count: to - first, offset: 0 };
    track.chunks.push(chunk);
    order.push({ track, chunk });
  };
  for (let second = 1; second <= seconds; second++) {
    const end = second === seconds;
    add(pictures, end ? pictures.sizes.length : second * video.framesPerSecond);
    if (!sounds || !audio) continue;
    const heard = Math.ceil((second * audio.sampleRate) / AAC_FRAME);
    add(sounds, end ? sounds.sizes.length : Math.min(heard, sounds.sizes.length));
  }
  return order;
}

/** Gives each chunk its place in the file; answers the file's length. */
function place(order: Order, start: number): number {
  let at = start;
  for (const { track, chunk } of order) {
    chunk.offset = at;
    for (let sample = chunk.first; sample < chunk.first + chunk.count; sample++)
      at += track.sizes[sample] ?? 0;
  }
  return at;
}

function videoTrack(video: VideoTrack, track: Sampled, seconds: number): Buffer {
  const { width, height, framesPerSecond, delays } = video;
  const frames = track.sizes.length;
  return trackBox({
    ...{ id: 1, volume: 0, width, height, seconds, skipped: delays ? TICK : 0 },
    ...{ scale: framesPerSecond * TICK, length: frames * TICK, handler: 'vide' },
    header: fullBox('vmhd', 1, shorts(0, 0, 0, 0)),
    table: [
      fullBox('stsd', 0, words(1), videoEntry(video)),
      fullBox('stts', 0, words(1, frames, TICK)),
      ...(delays ? [delayBox(delays)] : []),
      fullBox('stss', 0, words(video.keys.length, ...video.keys.map((key) => key + 1))),
      ...sampleBoxes(track),
    ],
  });
}

function audioTrack(audio: AudioTrack, track: Sampled, seconds: number): Buffer {
  const frames = audio.frames.length;
  return trackBox({
    ...{ id: 2, volume: 0x100, width: 0, height: 0, seconds, skipped: AAC_FRAME },
    ...{ scale: audio.sampleRate, length: frames * AAC_FRAME, handler: 'soun' },
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

function trackBox(track: TrackShape): Buffer {
  const shown = track.seconds * MOVIE_SCALE;
  const references = box('dinf', fullBox('dref', 0, words(1), fullBox('url ', 1)));
  return box(
    'trak',
    fullBox(
      'tkhd',
      3,
      words(0, 0, track.id, 0, shown, 0, 0),
      shorts(0, 0, track.volume, 0),
      UNITY,
      words(track.width << 16, track.height << 16),
    ),
    box('edts', fullBox('elst', 0, words(1, shown, track.skipped, 0x10000))),
    box(
      'mdia',
      fullBox('mdhd', 0, words(0, 0, track.scale, track.length), shorts(0x55c4, 0)),
      fullBox('hdlr', 0, words(0), Buffer.from(track.handler), words(0, 0, 0), Buffer.from([0])),
      box('minf', track.header, references, box('stbl', ...track.table)),
    ),
  );
}

function delayBox(delays: readonly number[]): Buffer {
  const pairs = runs(delays.map((delay) => delay * TICK));
  return fullBox('ctts', 0, words(pairs.length / 2, ...pairs));
}

/** Which samples lie in which chunk, how long they are, and where the chunks begin. */
function sampleBoxes({ sizes, chunks }: Sampled): Buffer[] {
  const groups = chunks.flatMap((chunk, at) =>
    chunk.count === chunks[at - 1]?.count ? [] : [at + 1, chunk.count, 1],
  );
  return [
    fullBox('stsc', 0, words(groups.length / 3, ...groups)),
    fullBox('stsz', 0, words(0, sizes.length, ...sizes)),
    fullBox('stco', 0, words(chunks.length, ...chunks.map((chunk) => chunk.offset))),
  ];
}
