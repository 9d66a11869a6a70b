import {
  AAC_FRAME_SAMPLES,
  type AudioTrack,
  CREATION_TIME,
  encodeAudioTrackBox,
  encodeVideoTrackBox,
  fullBox,
  MOVIE_TIMESCALE,
  mp4Box,
  type SampleTable,
  sampleBoxes,
  trackBox,
  UNITY_MATRIX,
  uint16s,
  uint32s,
  type VideoTrack,
} from './track-box.ts';

const MEDIA_HEAD = 8;
const NOTE_TRACK = 3;

interface Movie {
  video: VideoTrack;
  audio: AudioTrack | undefined;
  notes: MovieMetadata;
  seconds: number;
  bytes: number | undefined;
}

export function encodeMp4(movie: Movie): Buffer {
  const whole = layOut(movie);
  const missing = (movie.bytes ?? 0) - whole.length;
  if (missing <= 0) return write(whole);
  const samples = fillUp(movie.video.samples, missing);
  return write(layOut({ ...movie, video: { ...movie.video, samples } }));
}

interface LaidOut {
  type: Buffer;
  index: Buffer;
  order: ChunkSequence;
  length: number;
}

function layOut(movie: Movie): LaidOut {
  const { video, audio, seconds, notes } = movie;
  const pictures = pictureSamples(video);
  const sounds = audio ? soundSamples(audio) : undefined;
  const note = noteSample(notes.text);
  const order = interleave(pictures, sounds, { video, audio, seconds });
  for (const chunk of note.chunks) order.unshift({ track: note, chunk });
  const type = mp4Box('ftyp', Buffer.from('isom'), uint32s(0x200), Buffer.from('isomiso2avc1mp41'));
  const index = () => mp4Box('moov', ...movieBoxes(movie, { pictures, sounds, note }));
  const start = type.length + index().length + MEDIA_HEAD;
  const length = place(order, start);
  return { type, index: index(), order, length };
}

function movieBoxes(
  { video, audio, seconds, notes }: Movie,
  { pictures, sounds, note }: { pictures: SampleTable; sounds: SampleTable | undefined; note: SampleTable },
): Buffer[] {
  const head = uint32s(CREATION_TIME, CREATION_TIME, MOVIE_TIMESCALE, seconds * MOVIE_TIMESCALE, 0x10000);
  return [
    fullBox('mvhd', 0, head, uint16s(0x100, 0), uint32s(0, 0), UNITY_MATRIX, uint32s(0, 0, 0, 0, 0, 0, NOTE_TRACK + 1)),
    encodeVideoTrackBox(video, pictures, seconds),
    ...(audio && sounds ? [encodeAudioTrackBox(audio, sounds, seconds)] : []),
    noteTrack(note, NOTE_TRACK, seconds),
    noteBox(notes),
  ];
}

function write({ type, index, order, length }: LaidOut): Buffer {
  const out = Buffer.allocUnsafe(length);
  let at = type.copy(out, 0);
  at += index.copy(out, at);
  at = out.writeUInt32BE(length - at, at);
  at += out.write('mdat', at, 'latin1');
  for (const { track, chunk } of order) {
    for (let sample = chunk.first; sample < chunk.first + chunk.count; sample++) at = track.write(sample, out, at);
  }
  return out;
}

function pictureSamples(video: VideoTrack): SampleTable {
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

function soundSamples(audio: AudioTrack): SampleTable {
  const sizes = audio.frames.map((frame) => frame.length);
  const write = (index: number, out: Buffer, at: number) => at + (audio.frames[index]?.copy(out, at) ?? 0);
  return { sizes, write, chunks: [] };
}

type ChunkSequence = { track: SampleTable; chunk: SampleTable['chunks'][number] }[];

function interleave(
  pictures: SampleTable,
  sounds: SampleTable | undefined,
  { video, audio, seconds }: { video: VideoTrack; audio: AudioTrack | undefined; seconds: number },
): ChunkSequence {
  const order: ChunkSequence = [];
  const add = (track: SampleTable, to: number) => {
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
    const heard = Math.ceil((second * audio.sampleRate) / AAC_FRAME_SAMPLES);
    add(sounds, end ? sounds.sizes.length : Math.min(heard, sounds.sizes.length));
  }
  return order;
}

function place(order: ChunkSequence, start: number): number {
  let at = start;
  for (const { track, chunk } of order) {
    chunk.offset = at;
    for (let sample = chunk.first; sample < chunk.first + chunk.count; sample++) at += track.sizes[sample] ?? 0;
  }
  return at;
}

const LEAST = 6;
const FILLER_DATA = 12;
const END = 0x80;

function fillUp(samples: readonly Buffer[][], bytes: number): Buffer[][] {
  const count = Math.min(samples.length, Math.floor(bytes / LEAST));
  if (count <= 0) return [...samples];
  const each = Math.floor(bytes / count);
  const usual = filler(each);
  const first = filler(bytes - each * (count - 1));
  return samples.map((units, i) => (i < count ? [...units, i === 0 ? first : usual] : units));
}

function filler(bytes: number): Buffer {
  const unit = Buffer.alloc(bytes - 4, 0xff);
  unit[0] = FILLER_DATA;
  unit[unit.length - 1] = END;
  return unit;
}

const MAX_BYTES = 65_535;

function noteSample(text: string): SampleTable {
  const bytes = Buffer.from(text).subarray(0, MAX_BYTES);
  const sample = Buffer.concat([uint16s(bytes.length), bytes]);
  return {
    sizes: [sample.length],
    write: (_index, out, at) => at + sample.copy(out, at),
    chunks: [{ first: 0, count: 1, offset: 0 }],
  };
}

function noteTrack(track: SampleTable, id: number, seconds: number): Buffer {
  return trackBox({
    id,
    isShown: false,
    volume: 0,
    width: 0,
    height: 0,
    seconds,
    skipped: 0,
    scale: MOVIE_TIMESCALE,
    length: seconds * MOVIE_TIMESCALE,
    handler: 'sbtl',
    header: fullBox('nmhd', 0),
    table: [
      fullBox('stsd', 0, uint32s(1), noteEntry()),
      fullBox('stts', 0, uint32s(1, 1, seconds * MOVIE_TIMESCALE)),
      ...sampleBoxes(track),
    ],
  });
}

function noteEntry(): Buffer {
  const placed = Buffer.concat([uint32s(0), Buffer.from([1, 255]), uint32s(0), uint16s(0, 0, 0, 0)]);
  const style = Buffer.concat([uint16s(0, 0, 1), Buffer.from([0, 18]), uint32s(0xffffffff)]);
  const font = Buffer.from('Serif');
  const fonts = mp4Box('ftab', uint16s(1, 1), Buffer.from([font.length]), font);
  return mp4Box('tx3g', Buffer.alloc(6), uint16s(1), placed, style, fonts);
}

export interface MovieMetadata {
  title: string;
  comment: string;
  encoder: string;
  text: string;
}

const UTF8 = 1;

function noteBox({ title, comment, encoder }: MovieMetadata): Buffer {
  const handler = fullBox('hdlr', 0, uint32s(0), Buffer.from('mdirappl'), uint32s(0, 0), Buffer.from([0]));
  const items = [item('©nam', title), item('©cmt', comment), item('©too', encoder)];
  return mp4Box('udta', fullBox('meta', 0, handler, mp4Box('ilst', ...items)));
}

function item(name: string, text: string): Buffer {
  return mp4Box(name, mp4Box('data', uint32s(UTF8, 0), Buffer.from(text)));
}
