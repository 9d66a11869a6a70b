import { EmulatorError, invalid } from '../base/errors.ts';
import { type AudioFault, type ProbedAudio, probeMp3 } from './mp3/mp3-probe.ts';

/**
 * Reads the structure of a WAV or MP3 file, without decoding it. Throws `unsupported_media_type` for
 * any other file, and `invalid_request` (`file`) for one that is cut or says what is not so.
 */
export function probeAudio(bytes: Buffer): ProbedAudio {
  const probed = looksLikeWav(bytes) ? probeWav(bytes) : probeMp3(bytes);
  if (!probed) throw unsupported(bytes);
  if ('fault' in probed) throw invalid('file', `The audio file is not whole: ${probed.fault}`, probed.choice);
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

interface WaveFormat {
  tag: number;
  channels: number;
  sampleRate: number;
  bytesPerSecond: number;
  blockBytes: number;
  bits: number;
}

/** Programs that write a WAV file into a pipe cannot know its size and put this in both places. */
const UNKNOWN_SIZE = 0xffffffff;
const RIFF_HEADER_BYTES = 12;
const CHUNK_HEADER_BYTES = 8;
const FORMAT_BYTES = 16;
const GUID_AT = 24;
const EXTENSIBLE = 0xfffe;
/** How the sound of a WAV file may be coded: its format tag chooses a decoder, and there are hundreds. */
const PLAIN = [1, 3, EXTENSIBLE];
const COMPANDED = [2, 6, 7, 0x11];
/** More chunks than these before the sound are no program's doing. */
const MOST_CHUNKS = 1000;

/** True for any RIFF file that is, or breaks off before it could say that it is, a WAV file. */
function looksLikeWav(bytes: Buffer): boolean {
  const form = bytes.toString('latin1', 8, RIFF_HEADER_BYTES);
  return bytes.toString('latin1', 0, 4) === 'RIFF' && 'WAVE'.startsWith(form);
}

/** Walks the chunks of a RIFF file. */
function probeWav(bytes: Buffer): ProbedAudio | AudioFault {
  if (bytes.length < RIFF_HEADER_BYTES) return { fault: 'it ends within its first twelve bytes.' };
  const said = bytes.readUInt32LE(4);
  const streamed = said === UNKNOWN_SIZE;
  if (!streamed && said + CHUNK_HEADER_BYTES > bytes.length) {
    return { fault: `its header says ${said + 8} bytes, it has ${bytes.length}.` };
  }
  const end = streamed ? bytes.length : said + CHUNK_HEADER_BYTES;
  return walkChunks(bytes.subarray(0, end), streamed);
}

interface Chunk {
  name: string;
  body: Buffer;
}

function walkChunks(bytes: Buffer, streamed: boolean): ProbedAudio | AudioFault {
  let format: WaveFormat | undefined;
  let at = RIFF_HEADER_BYTES;
  for (let read = 0; at + CHUNK_HEADER_BYTES <= bytes.length; read += 1) {
    if (read === MOST_CHUNKS)
      return { fault: `its sound does not begin within ${MOST_CHUNKS} chunks.`, choice: 'C031' };
    const chunk = readChunk(bytes, at, streamed);
    if ('fault' in chunk) return chunk;
    const { name, body } = chunk;
    if (name === 'data') return measure(format, body.length);
    if (name === 'fmt ' && body.length < FORMAT_BYTES) {
      return { fault: `its "fmt " chunk has ${body.length} bytes, not 16 or more.` };
    }
    if (name === 'fmt ') format = readFormat(body);
    at += CHUNK_HEADER_BYTES + body.length + (body.length % 2);
  }
  return { fault: `it has no "${format ? 'data' : 'fmt '}" chunk.` };
}

function readChunk(bytes: Buffer, at: number, streamed: boolean): Chunk | AudioFault {
  const name = bytes.toString('latin1', at, at + 4);
  const size = bytes.readUInt32LE(at + 4);
  const rest = bytes.subarray(at + CHUNK_HEADER_BYTES);
  if (streamed && size === UNKNOWN_SIZE && name === 'data') return { name, body: rest };
  if (size <= rest.length) return { name, body: rest.subarray(0, size) };
  return { fault: `its "${printable(name)}" chunk says ${size} bytes, ${rest.length} follow.` };
}

/** Throws `unsupported_media_type` for sound that is coded in another way. */
function readFormat(chunk: Buffer): WaveFormat {
  const tag = chunk.readUInt16LE(0);
  // An extensible format names the real one at the beginning of its GUID.
  const real = tag === EXTENSIBLE && chunk.length >= GUID_AT + 2 ? chunk.readUInt16LE(GUID_AT) : tag;
  for (const each of [tag, real]) if (![...PLAIN, ...COMPANDED].includes(each)) throw otherwiseCoded(each);
  return {
    tag,
    channels: chunk.readUInt16LE(2),
    sampleRate: chunk.readUInt32LE(4),
    bytesPerSecond: chunk.readUInt32LE(8),
    blockBytes: chunk.readUInt16LE(12),
    bits: chunk.readUInt16LE(14),
  };
}

function otherwiseCoded(tag: number): EmulatorError {
  const coding = `0x${tag.toString(16).padStart(4, '0')}`;
  return new EmulatorError(
    'unsupported_media_type',
    `file is a WAV file whose sound is coded as ${coding}, which is not read. Send PCM, float, A-law, µ-law or ADPCM in WAV, or MP3.`,
    { param: 'file', choice: 'C138' },
  );
}

function measure(format: WaveFormat | undefined, dataBytes: number): ProbedAudio | AudioFault {
  if (!format) return { fault: 'its samples come before any "fmt " chunk.' };
  const fault = formatFault(format);
  if (fault) return { fault };
  if (dataBytes < format.blockBytes) return { fault: 'it holds no sample.' };
  return { format: 'wav', seconds: dataBytes / format.bytesPerSecond };
}

function formatFault(format: WaveFormat): string | undefined {
  const { tag, channels, sampleRate, bytesPerSecond, blockBytes, bits } = format;
  if (channels === 0 || channels > 64) return `its "fmt " chunk says ${channels} channels.`;
  if (sampleRate < 1000 || sampleRate > 768_000) return `its "fmt " chunk says ${sampleRate} Hz.`;
  if (blockBytes === 0) return 'its "fmt " chunk says blocks of 0 bytes.';
  const plain = PLAIN.includes(tag);
  if (plain && blockBytes !== channels * Math.ceil(bits / 8)) {
    return `${channels} × ${bits} bits do not make the ${blockBytes} bytes a sample that it says.`;
  }
  if (plain && bytesPerSecond !== blockBytes * sampleRate) {
    return `${sampleRate} Hz × ${blockBytes} bytes do not make the ${bytesPerSecond} bytes a second that it says.`;
  }
  if (bytesPerSecond < 100) return `its "fmt " chunk says ${bytesPerSecond} bytes a second.`;
  return undefined;
}

function printable(name: string): string {
  return name.replace(/[^\x20-\x7e]/g, '?');
}
