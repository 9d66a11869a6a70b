import { writeFile } from 'node:fs/promises';
import { encodeElsewhere, encodeFrames } from '../mp3/frame-encoder.ts';
import { speechTag } from '../mp3/own-tag.ts';
import { infoFrameFor, SPEECH_FORMAT } from '../mp3/stream-format.ts';
import type { RenderedFile, RenderTools, SpeechRequest } from '../render-request.ts';
import { atPrintRate, energiesOf, printOf } from '../sound-print.ts';
import type { PronouncingBook } from './pronouncing-book.ts';
import { speak } from './speak.ts';

const ENCODED = 0.95;
/** In seconds: what is longer is encoded here, in less time than by a process; what is shorter takes no longer than its start. */
const LONG = 12;

/** Writes spoken words as an MP3 of 64 kbit/s, 16 kHz, mono whose tag carries the text. */
export async function renderSpeech(
  request: SpeechRequest,
  target: string,
  tools: RenderTools,
  english: PronouncingBook,
): Promise<RenderedFile> {
  const { samples, pieces } = speak(request, english);
  const { length } = samples;
  const sound = { length, pieces: told(pieces, length, tools) };
  const isLong = length > LONG * SPEECH_FORMAT.sampleRate;
  const frames = await (isLong ? encodeFrames(sound, SPEECH_FORMAT) : encodeElsewhere(sound, SPEECH_FORMAT, tools));
  tools.onProgress(ENCODED);
  const info = infoFrameFor(frames, samples.length, SPEECH_FORMAT);
  const print = printOf(energiesOf(atPrintRate(samples, SPEECH_FORMAT.channels, SPEECH_FORMAT.sampleRate)));
  const tag = speechTag(request, { bytes: info.length + frames.length, print });
  await writeFile(target, [tag, info, frames]);
  tools.onProgress(1);
  return {
    bytes: tag.length + info.length + frames.length,
    contentType: 'audio/mpeg',
    seconds: samples.length / SPEECH_FORMAT.sampleRate,
  };
}

/** The same pieces; tells how much of `length` has been taken and stops when it is cancelled. */
async function* told(
  pieces: AsyncIterable<Int16Array>,
  length: number,
  { signal, onProgress }: RenderTools,
): AsyncGenerator<Int16Array> {
  let taken = 0;
  for await (const piece of pieces) {
    signal.throwIfAborted();
    yield piece;
    taken += piece.length;
    onProgress((taken / length) * ENCODED);
  }
}
