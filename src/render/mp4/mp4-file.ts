import { box, fullBox, shorts, words } from './mp4-box.ts';
import type { AudioTrack, VideoTrack } from './mp4-track.ts';
import { AAC_FRAME, audioTrack, MOVIE_SCALE, type Sampled, UNITY, videoTrack } from './track-box.ts';

/** A whole MP4 with the index first; sound and picture lie second by second beside each other. */
export function encodeMp4(video: VideoTrack, audio: AudioTrack | undefined, seconds: number): Buffer {
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
    for (let sample = chunk.first; sample < chunk.first + chunk.count; sample++) at = track.write(sample, out, at);
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
  const write = (index: number, out: Buffer, at: number) => at + (audio.frames[index]?.copy(out, at) ?? 0);
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
    for (let sample = chunk.first; sample < chunk.first + chunk.count; sample++) at += track.sizes[sample] ?? 0;
  }
  return at;
}
