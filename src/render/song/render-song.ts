import { writeFile } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { infoFrameFor, SONG_FORMAT } from '../mp3/constant-stream.ts';
import { encodeFrames } from '../mp3/encode-frames.ts';
import { songTag } from '../mp3/own-tag.ts';
import type { RenderedFile, SongRequest } from '../render-request.ts';
import type { RenderTools } from '../render-tools.ts';
import { atPrintRate, energiesOf, PRINT_RATE, PRINT_SECONDS, printOf } from '../sound-print.ts';
import { type SoundedSong, soundSong } from './sound-song.ts';
import { spliceFrames, spliceSource } from './splice-song.ts';

/** Shares of the work that are done when all is played, and when all is encoded. */
const PLAYED = 0.4;
const ENCODED = 0.95;

/**
 * Writes a song as an MP3 of 320 kbit/s, 48 kHz, stereo that ends on a bar. Only its different bars are
 * played and encoded; the form is put together from their frames.
 */
export async function renderSong(request: SongRequest, target: string, tools: RenderTools): Promise<RenderedFile> {
  const playing = soundSong(request, async (share) => {
    await nextTurn();
    tools.signal.throwIfAborted();
    tools.onProgress(share * PLAYED);
  }).then((song) => ({ song, source: spliceSource(song) }));
  const length = playing.then(({ source }) => source.samples.length / SONG_FORMAT.channels);
  // The encoders start while the song is played; what goes wrong there is told as it is.
  const [{ song, source }, encoded, print] = await Promise.all([
    playing,
    encodeFrames({ length, pieces: samplesOf(playing), shares: [0.5, 0.5] }, SONG_FORMAT, tools),
    playing.then(printWhileEncoded),
  ]);
  tools.onProgress(ENCODED);
  const frames = spliceFrames(song, source.plan, encoded);
  const heard = song.form.bars.length * song.barSamples;
  const info = infoFrameFor(frames, heard, SONG_FORMAT);
  const tag = songTag(request, song.facts, { bytes: info.length + frames.length, print });
  await writeFile(target, [tag, info, frames]);
  tools.onProgress(1);
  return {
    bytes: tag.length + info.length + frames.length,
    contentType: 'audio/mpeg',
    seconds: heard / SONG_FORMAT.sampleRate,
  };
}

async function* samplesOf(playing: Promise<{ source: { samples: Int16Array } }>): AsyncGenerator<Int16Array> {
  yield (await playing).source.samples;
}

/** The encoders are given their samples first. */
async function printWhileEncoded({ song }: { song: SoundedSong }): Promise<Uint8Array> {
  await nextTurn();
  return printOfSong(song);
}

/** Of as many bars from its beginning as a print looks at. */
function printOfSong({ form, phrases, barSamples }: SoundedSong): Uint8Array {
  const { sampleRate, channels } = SONG_FORMAT;
  const heard = new Int16Array(PRINT_RATE * PRINT_SECONDS);
  const values = barSamples * channels;
  let at = 0;
  for (const { phrase, bar } of form.bars) {
    if (at >= heard.length) break;
    const played = phrases[phrase]?.subarray(bar * values, (bar + 1) * values) ?? new Int16Array(0);
    const coarse = atPrintRate(played, channels, sampleRate);
    heard.set(coarse.subarray(0, heard.length - at), at);
    at += coarse.length;
  }
  return printOf(energiesOf(heard.subarray(0, at)));
}
