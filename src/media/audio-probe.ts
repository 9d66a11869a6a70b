import { EmulatorError, invalid } from '../base/errors.ts';
import { probeMp3 } from './mp3/mp3-probe.ts';
import type { AudioFault, ProbedAudio } from './probed-audio.ts';

/**
 * Reads the structure only. Cut files count for the sound that exists. Throws `unsupported_media_type` or
 * `invalid_request`.
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

interface WaveFormat {
  tag: number;
  channels: number;
  sampleRate: number;
  bytesPerSecond: number;
  /** The bytes of one sample of all channels, or of one ADPCM block. */
  blockBytes: number;
}

const RIFF_HEADER_BYTES = 12;
const CHUNK_HEADER_BYTES = 8;
const FORMAT_BYTES = 14;
const GUID_AT = 24;
const EXTENSIBLE = 0xfffe;
/** Supported codings. A WAV file can name hundreds. */
const PLAIN = [1, 3, EXTENSIBLE];
const LAW = [6, 7];
const ADPCM = [2, 0x11];
/** No program writes more chunks before the sound. */
const MOST_CHUNKS = 1000;

function looksLikeWav(bytes: Buffer): boolean {
  const form = bytes.toString('latin1', 8, RIFF_HEADER_BYTES);
  return ['RIFF', 'RF64', 'BW64'].includes(bytes.toString('latin1', 0, 4)) && 'WAVE'.startsWith(form);
}

/** Ignores the size of the whole file, because programs that write into a pipe cannot know it. */
function probeWav(bytes: Buffer): ProbedAudio | AudioFault {
  if (bytes.length < RIFF_HEADER_BYTES) return { fault: 'it ends within its first twelve bytes.' };
  let format: WaveFormat | undefined;
  const names: string[] = [];
  for (let at = RIFF_HEADER_BYTES; at + CHUNK_HEADER_BYTES <= bytes.length; ) {
    if (names.length === MOST_CHUNKS) {
      return { fault: `its sound does not begin within ${MOST_CHUNKS} chunks.`, choice: 'C031' };
    }
    const { name, size, body } = readChunk(bytes, at);
    if (name === 'data') return measure(format, bytes, at);
    if (size > body.length) {
      return { fault: `its "${printable(name)}" chunk says ${size} bytes, ${body.length} follow.` };
    }
    if (name === 'fmt ' && size < FORMAT_BYTES) {
      return { fault: `its "fmt " chunk has ${size} bytes, not ${FORMAT_BYTES} or more.` };
    }
    if (name === 'fmt ') format = readFormat(body);
    names.push(printable(name));
    at += CHUNK_HEADER_BYTES + size + (size % 2);
  }
  const found = names.length === 0 ? 'no chunk' : `the chunks ${names.map((name) => `"${name}"`).join(', ')}`;
  return { fault: `it ends before its samples: it has ${found}.` };
}

/** `body` may be shorter than the stated `size`. */
function readChunk(bytes: Buffer, at: number): { name: string; size: number; body: Buffer } {
  const size = bytes.readUInt32LE(at + 4);
  const start = at + CHUNK_HEADER_BYTES;
  return { name: bytes.toString('latin1', at, at + 4), size, body: bytes.subarray(start, start + size) };
}

function isName(bytes: Buffer, at: number): boolean {
  return /^[A-Za-z0-9_]{3}[A-Za-z0-9_ ]$/.test(bytes.toString('latin1', at, at + 4));
}

/** Throws `unsupported_media_type` for other codings. */
function readFormat(chunk: Buffer): WaveFormat {
  const tag = chunk.readUInt16LE(0);
  // An extensible format has the real one at the start of its GUID.
  const real = tag === EXTENSIBLE && chunk.length >= GUID_AT + 2 ? chunk.readUInt16LE(GUID_AT) : tag;
  for (const each of [tag, real]) if (![...PLAIN, ...LAW, ...ADPCM].includes(each)) throw otherwiseCoded(each);
  const [channels, sampleRate] = [chunk.readUInt16LE(2), chunk.readUInt32LE(4)];
  const stated = { bytesPerSecond: chunk.readUInt32LE(8), blockBytes: chunk.readUInt16LE(12) };
  if (ADPCM.includes(real)) return { tag: real, channels, sampleRate, ...stated };
  // Some recorders state wrong blocks and rates, so both are computed.
  const bits = chunk.length < 16 ? 0 : chunk.readUInt16LE(14);
  const blockBytes = bits === 0 || bits > 64 ? stated.blockBytes : channels * Math.ceil(bits / 8);
  return { tag: real, channels, sampleRate, blockBytes, bytesPerSecond: blockBytes * sampleRate };
}

function otherwiseCoded(tag: number): EmulatorError {
  const coding = `0x${tag.toString(16).padStart(4, '0')}`;
  return new EmulatorError(
    'unsupported_media_type',
    `file is a WAV file whose sound is coded as ${coding}, which is not read. Send PCM, float, A-law, µ-law or ADPCM in WAV, or MP3.`,
    { param: 'file', choice: 'C138' },
  );
}

function measure(format: WaveFormat | undefined, bytes: Buffer, at: number): ProbedAudio | AudioFault {
  if (!format) return { fault: 'its samples come before its format.' };
  const fault = formatFault(format);
  if (fault) return { fault };
  const dataBytes = samplesLength(bytes, at);
  if (dataBytes < format.blockBytes) return { fault: 'it has no sample.' };
  return { format: 'wav', seconds: dataBytes / format.bytesPerSecond };
}

function samplesLength(bytes: Buffer, at: number): number {
  const { size, body } = readChunk(bytes, at);
  const start = at + CHUNK_HEADER_BYTES;
  const isEmpty = size === 0 && endsInChunks(bytes, start);
  return isEmpty || (size > 0 && size === body.length) ? size : bytes.length - start;
}

/** If only whole chunks follow, a `data` chunk of size 0 is really empty. */
function endsInChunks(bytes: Buffer, start: number): boolean {
  let at = start;
  for (let read = 0; read < MOST_CHUNKS && at < bytes.length; read += 1) {
    if (!isName(bytes, at) || at + CHUNK_HEADER_BYTES > bytes.length) return false;
    const { size, body } = readChunk(bytes, at);
    if (size > body.length) return false;
    at += CHUNK_HEADER_BYTES + size + (size % 2);
  }
  return at >= bytes.length;
}

function formatFault({ channels, sampleRate, bytesPerSecond, blockBytes }: WaveFormat): string | undefined {
  if (channels === 0 || channels > 64) return `its "fmt " chunk says ${channels} channels.`;
  if (sampleRate < 1000 || sampleRate > 768_000) return `its "fmt " chunk says ${sampleRate} Hz.`;
  if (blockBytes === 0) return 'its "fmt " chunk says blocks of 0 bytes.';
  if (bytesPerSecond < 100) return `its "fmt " chunk says ${bytesPerSecond} bytes a second.`;
  return undefined;
}

function printable(name: string): string {
  return name.replace(/[^\x20-\x7e]/g, '?');
}
