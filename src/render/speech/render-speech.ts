import { writeFile } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { framesFor, infoFrameFor, SPEECH_FORMAT } from '../mp3/constant-stream.ts';
import { encodeFrames } from '../mp3/encode-frames.ts';
import { speechTag } from '../mp3/own-tag.ts';
import type { RenderedFile, SpeechRequest } from '../render-request.ts';
import type { RenderTools } from '../render-tools.ts';
import { atPrintRate, energiesOf, printOf } from '../sound-print.ts';
import type { PronouncingBook } from './pronouncing-book.ts';
import { speak } from './speak.ts';

/** Shares of the work that are done when all is spoken, and when all is encoded. */
const SPOKEN = 0.5;
const ENCODED = 0.95;

/** Writes spoken words as an MP3 of 64 kbit/s, 24 kHz, mono whose tag carries the text. */
export async function renderSpeech(
  request: SpeechRequest,
  target: string,
  tools: RenderTools,
  english: PronouncingBook,
): Promise<RenderedFile> {
  const samples = await speak(request, english, async (share) => {
    await nextTurn();
    tools.signal.throwIfAborted();
    tools.onProgress(share * SPOKEN);
  });
  const needed = framesFor(samples.length, SPEECH_FORMAT);
  const encoded = await encodeFrames(samples, SPEECH_FORMAT, tools);
  tools.onProgress(ENCODED);
  const frames = encoded.subarray(0, needed * SPEECH_FORMAT.frameBytes);
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
