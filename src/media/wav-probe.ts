import { EmulatorError } from '../base/errors.ts';
import type { AudioFault, ProbedAudio } from './probed-audio.ts';

interface WaveFormat {
  tag: number;
  channels: number;
  sampleRate: number;
  bytesPerSecond: number;
  /** Bytes of one sample of all channels, or of one block of ADPCM. */
  blockBytes: number;
}

const RIFF_HEADER_BYTES = 12;
const CHUNK_HEADER_BYTES = 8;
/** The oldest form of a format has no bits a sample. */
const FORMAT_BYTES = 14;
const GUID_AT = 24;
const EXTENSIBLE = 0xfffe;
/** How the sound of a WAV file may be coded: its format tag chooses a decoder, and there are hundreds. */
const PLAIN = [1, 3, EXTENSIBLE];
const LAW = [6, 7];
const ADPCM = [2, 0x11];
/** More chunks than these before the sound are no program's doing. */
const MOST_CHUNKS = 1000;

/** True for a RIFF file, or one of its 64-bit forms, that is a WAV file or ends before it could say so. */
export function looksLikeWav(bytes: Buffer): boolean {
  const form = bytes.toString('latin1', 8, RIFF_HEADER_BYTES);
  return ['RIFF', 'RF64', 'BW64'].includes(bytes.toString('latin1', 0, 4)) && 'WAVE'.startsWith(form);
}

/**
 * Walks the chunks of a WAV file up to its samples. The size of the whole file is not looked at: programs that write into a
 * pipe cannot know it, and put zero, the largest number or something near it there.
 */
export function probeWav(bytes: Buffer): ProbedAudio | AudioFault {
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

/** The name and stated size of the chunk at `at`, and as many of its bytes as are there. */
function readChunk(bytes: Buffer, at: number): { name: string; size: number; body: Buffer } {
  const size = bytes.readUInt32LE(at + 4);
  const start = at + CHUNK_HEADER_BYTES;
  return { name: bytes.toString('latin1', at, at + 4), size, body: bytes.subarray(start, start + size) };
}

function isName(bytes: Buffer, at: number): boolean {
  return /^[A-Za-z0-9_]{3}[A-Za-z0-9_ ]$/.test(bytes.toString('latin1', at, at + 4));
}

/** Throws `unsupported_media_type` for sound that is coded in another way. */
function readFormat(chunk: Buffer): WaveFormat {
  const tag = chunk.readUInt16LE(0);
  // An extensible format names the real one at the beginning of its GUID.
  const real = tag === EXTENSIBLE && chunk.length >= GUID_AT + 2 ? chunk.readUInt16LE(GUID_AT) : tag;
  for (const each of [tag, real]) if (![...PLAIN, ...LAW, ...ADPCM].includes(each)) throw otherwiseCoded(each);
  const [channels, sampleRate] = [chunk.readUInt16LE(2), chunk.readUInt32LE(4)];
  const stated = { bytesPerSecond: chunk.readUInt32LE(8), blockBytes: chunk.readUInt16LE(12) };
  if (ADPCM.includes(real)) return { tag: real, channels, sampleRate, ...stated };
  // Recorders state blocks and rates of two channels for one: both follow from the rest.
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

/** How many bytes of samples the `data` chunk at `at` has: up to the end of the file where its stated size is not so. */
function samplesLength(bytes: Buffer, at: number): number {
  const { size, body } = readChunk(bytes, at);
  const start = at + CHUNK_HEADER_BYTES;
  const isEmpty = size === 0 && endsInChunks(bytes, start);
  return isEmpty || (size > 0 && size === body.length) ? size : bytes.length - start;
}

/** Whether nothing but whole chunks follows: a `data` chunk of size 0 in front of them is empty indeed. */
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
