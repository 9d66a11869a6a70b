import { EmulatorError, invalid } from '../base/errors.ts';
import { probeMp3 } from './mp3/mp3-probe.ts';
import type { ProbedAudio } from './probed-audio.ts';
import { looksLikeWav, probeWav } from './wav-probe.ts';

/**
 * Reads the structure of a WAV or MP3 file, without decoding it. Sizes that recorders write wrongly, and files that are cut,
 * count for the sound that is there. Throws `unsupported_media_type` for any other file, and `invalid_request` (`file`) for
 * one without a sample.
 */
export function probeAudio(bytes: Buffer): ProbedAudio {
  const probed = looksLikeWav(bytes) ? probeWav(bytes) : probeMp3(bytes);
  if (!probed) throw unsupported(bytes);
  if ('fault' in probed) throw invalid('file', `The audio file cannot be read: ${probed.fault}`, probed.choice);
  return probed;
}

function unsupported(bytes: Buffer): EmulatorError {
  const start = bytes
    .subarray(0, 8)
    .toString('hex')
    .replace(/(..)\B/g, '$1 ');
  const met = bytes.length === 0 ? 'an empty file' : `a file that begins with ${start}`;
  return new EmulatorError('unsupported_media_type', `file is ${met}, neither WAV nor MP3. Send audio as WAV or MP3.`, {
    param: 'file',
    choice: 'C138',
  });
}
