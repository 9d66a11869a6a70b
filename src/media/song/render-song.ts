import { writeFile } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { encodeSound } from '../mp3/encode-sound.ts';
import { songTag } from '../mp3/own-tag.ts';
import { infoFrameFor, SONG_FORMAT } from '../mp3/stream-format.ts';
import type { RenderedFile, RenderTools, SongRequest } from '../render-request.ts';
import { soundSong } from './sound-song.ts';
import { spliceFrames, spliceSource } from './splice-song.ts';

/** Share of the work that is done when all is played, and how much encoding adds to it. */
const PLAYED = 0.5;
const ENCODED = 0.45;
/** Samples a channel that are encoded before others have their turn. */
const PIECE = 48_000;

/**
 * Writes a song as an MP3 of 320 kbit/s, 48 kHz, stereo that ends on a bar. Only its different bars are
 * played and encoded; the form is put together from their frames.
 */
export async function renderSong(request: SongRequest, target: string, tools: RenderTools): Promise<RenderedFile> {
  const song = await soundSong(request, async (share) => {
    await nextTurn();
    tools.signal.throwIfAborted();
    tools.onProgress(share * PLAYED);
  });
  const source = spliceSource(song);
  const encoded = await encodeSound(reporting(source.samples, tools), SONG_FORMAT, tools);
  tools.onProgress(PLAYED + ENCODED);
  const frames = spliceFrames(song, source.plan, encoded);
  const heard = song.form.bars.length * song.barSamples;
  const info = infoFrameFor(frames, heard, SONG_FORMAT);
  const tag = songTag(request, song.facts, info.length + frames.length);
  await writeFile(target, [tag, info, frames]);
  tools.onProgress(1);
  return {
    bytes: tag.length + info.length + frames.length,
    contentType: 'audio/mpeg',
    seconds: heard / SONG_FORMAT.sampleRate,
  };
}

/** Pieces of the samples; reports how many have been taken and stops when it is cancelled. */
function* reporting(samples: Int16Array, { signal, onProgress }: RenderTools): Generator<Int16Array> {
  for (let at = 0; at < samples.length; at += PIECE * SONG_FORMAT.channels) {
    signal.throwIfAborted();
    onProgress(PLAYED + (at / samples.length) * ENCODED);
    yield samples.subarray(at, at + PIECE * SONG_FORMAT.channels);
  }
}
