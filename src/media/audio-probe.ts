import { type ChoiceId, EmulatorError, invalidRequestError } from '../base/errors.ts';
import { findTagTranscript, id3TagLength, parseId3Tag } from './mp3/id3-tag.ts';
import { DECODER_DELAY, type FrameHeader, type InfoTag, parseFrameHeader, parseInfoTag } from './mp3/stream-format.ts';

/** Measures a WAV or MP3 file, even if its sound is cut off. Throws `unsupported_media_type` or `invalid_request`. */
export function probeAudio(bytes: Buffer): ProbedAudio {
  const probed = looksLikeWav(bytes) ? probeWav(bytes) : probeMp3(bytes);
  if (!probed) throw unsupported(bytes);
  if ('fault' in probed)
    throw invalidRequestError('file', `The audio file cannot be read: ${probed.fault}`, probed.choice);
  return probed;
}

function unsupported(bytes: Buffer): EmulatorError {
  const start = bytes
    .subarray(0, 8)
    .toString('hex')
    .replace(/(..)\B/g, '$1 ');
  const met = bytes.length === 0 ? 'is empty' : `begins with ${start}`;
  return new EmulatorError(
    'unsupported_media_type',
    `The file ${met}, so it is neither WAV nor MP3. Send audio as WAV or MP3.`,
    {
      param: 'file',
      choice: 'C138',
    },
  );
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
const PLAIN = [1, 3, EXTENSIBLE];
const LAW = [6, 7];
const ADPCM = [2, 0x11];
const MAX_CHUNKS = 1000;

function looksLikeWav(bytes: Buffer): boolean {
  const form = bytes.toString('latin1', 8, RIFF_HEADER_BYTES);
  return ['RIFF', 'RF64', 'BW64'].includes(bytes.toString('latin1', 0, 4)) && 'WAVE'.startsWith(form);
}

/** Ignores the file size that the header states, because programs that write into a pipe cannot know it. */
function probeWav(bytes: Buffer): ProbedAudio | AudioFault {
  if (bytes.length < RIFF_HEADER_BYTES) return { fault: 'it ends within its first twelve bytes.' };
  let format: WaveFormat | undefined;
  const names: string[] = [];
  for (let at = RIFF_HEADER_BYTES; at + CHUNK_HEADER_BYTES <= bytes.length; ) {
    if (names.length === MAX_CHUNKS) {
      return { fault: `its sound does not begin within ${MAX_CHUNKS} chunks.`, choice: 'C031' };
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

function readChunk(bytes: Buffer, at: number): { name: string; size: number; body: Buffer } {
  const size = bytes.readUInt32LE(at + 4);
  const start = at + CHUNK_HEADER_BYTES;
  return { name: bytes.toString('latin1', at, at + 4), size, body: bytes.subarray(start, start + size) };
}

function isName(bytes: Buffer, at: number): boolean {
  return /^[A-Za-z0-9_]{3}[A-Za-z0-9_ ]$/.test(bytes.toString('latin1', at, at + 4));
}

function readFormat(chunk: Buffer): WaveFormat {
  const tag = chunk.readUInt16LE(0);
  // An extensible format has the real one at the start of its GUID.
  const real = tag === EXTENSIBLE && chunk.length >= GUID_AT + 2 ? chunk.readUInt16LE(GUID_AT) : tag;
  for (const each of [tag, real]) if (![...PLAIN, ...LAW, ...ADPCM].includes(each)) throw otherwiseCoded(each);
  const [channels, sampleRate] = [chunk.readUInt16LE(2), chunk.readUInt32LE(4)];
  const stated = { bytesPerSecond: chunk.readUInt32LE(8), blockBytes: chunk.readUInt16LE(12) };
  if (ADPCM.includes(real)) return { tag: real, channels, sampleRate, ...stated };
  // Computes the block size and the bytes per second, because some recorders state wrong ones.
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

/** Whether only whole chunks follow `start`. If so, a `data` chunk of size 0 before it is really empty. */
function endsInChunks(bytes: Buffer, start: number): boolean {
  let at = start;
  for (let read = 0; read < MAX_CHUNKS && at < bytes.length; read += 1) {
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

const MAX_TAGS = 64;
const ZEROS = Buffer.alloc(65_536);
const MAX_SEARCHED = 262_144;
const SURE_FRAMES = 3;

/** Skips what decoders skip: tags, zeros, cut frames and holes. Undefined if no frame is found. */
function probeMp3(bytes: Buffer): ProbedAudio | AudioFault | undefined {
  const tagged = skipTags(bytes);
  if (tagged === undefined) return { fault: `it begins with over ${MAX_TAGS} tags.`, choice: 'C031' };
  if (tagged > bytes.length) return { fault: 'its ID3 tag is longer than the file.' };
  const start = firstFrame(bytes, tagged);
  const walk = start === undefined ? undefined : scanMp3Frames(bytes, start);
  if (start === undefined || !walk) return undefined;
  const sound = soundBehind(bytes, walk);
  if (walk.frames + sound === 0) return { fault: 'it has no frame of sound.' };
  const seconds = (walk.samples + sound * walk.first.samples) / walk.first.sampleRate;
  const text = tagged > 0 ? findTagTranscript(parseId3Tag(bytes)) : undefined;
  return text === undefined ? { format: 'mp3', seconds } : { format: 'mp3', seconds, text };
}

function skipTags(bytes: Buffer): number | undefined {
  let at = zerosEnd(bytes, 0);
  for (let tags = 0; tags <= MAX_TAGS; tags += 1) {
    const length = id3TagLength(bytes, at) ?? apeTagLength(bytes, at);
    if (length === undefined) return at;
    at += length;
    if (at >= bytes.length) return at;
    at = zerosEnd(bytes, at);
  }
  return undefined;
}

const APE_HEADER_BYTES = 32;

function apeTagLength(bytes: Buffer, at: number): number | undefined {
  if (bytes.toString('latin1', at, at + 8) !== 'APETAGEX' || at + APE_HEADER_BYTES > bytes.length) return undefined;
  return APE_HEADER_BYTES + bytes.readUInt32LE(at + 12);
}

function firstFrame(bytes: Buffer, from: number): number | undefined {
  const walk = scanMp3Frames(bytes, from);
  if (walk) {
    const sole = from + walk.first.bytes;
    if (from > 0 || walk.end > sole || bytes.length <= sole || walk.info) return from;
  }
  return searchFrames(bytes, from, MAX_SEARCHED);
}

function searchFrames(bytes: Buffer, from: number, within: number): number | undefined {
  const end = Math.min(bytes.length, from + within);
  for (let at = bytes.indexOf(0xff, from); at !== -1 && at < end; at = bytes.indexOf(0xff, at + 1)) {
    if (isRow(bytes, at)) return at;
  }
  return undefined;
}

function isRow(bytes: Buffer, start: number): boolean {
  let at = start;
  const first = parseFrameHeader(bytes, at);
  for (let count = 0; count < SURE_FRAMES; count += 1) {
    const header = parseFrameHeader(bytes, at);
    if (!header || header.sampleRate !== first?.sampleRate || at + header.bytes > bytes.length) return false;
    at += header.bytes;
  }
  return true;
}

function soundBehind(bytes: Buffer, walk: FrameWalk): number {
  let [frames, left, end] = [0, MAX_SEARCHED, walk.end];
  while (left > 0 && end < bytes.length) {
    const from = zerosEnd(bytes, end);
    const next = searchFrames(bytes, from, left);
    const more = next === undefined ? undefined : scanMp3Frames(bytes, next);
    if (next === undefined || !more || more.first.sampleRate !== walk.first.sampleRate) break;
    frames += more.frames;
    left -= next - from + 1;
    end = more.end;
  }
  return frames;
}

function zerosEnd(bytes: Buffer, from: number): number {
  let at = from;
  while (at + ZEROS.length <= bytes.length && bytes.compare(ZEROS, 0, ZEROS.length, at, at + ZEROS.length) === 0) {
    at += ZEROS.length;
  }
  while (at < bytes.length && bytes[at] === 0) at += 1;
  return at;
}

interface FrameWalk {
  first: FrameHeader;
  /** The Xing or Info tag of the first frame, which then is not sound. */
  info?: InfoTag;
  frames: number;
  /** Samples per channel after decoding, without delay and padding if the tag states them. */
  samples: number;
  end: number;
  cut: boolean;
}

export function scanMp3Frames(bytes: Buffer, start: number): FrameWalk | undefined {
  const first = parseFrameHeader(bytes, start);
  if (!first) return undefined;
  const info = parseInfoTag(bytes, start, first);
  const { count, end, cut } = countFrames(bytes, start);
  const frames = Math.max(0, count - (info ? 1 : 0));
  return { first, info, frames, samples: heardSamples(frames * first.samples, info), end, cut };
}

function countFrames(bytes: Buffer, start: number) {
  const lengths = lengthsOfKind(bytes.subarray(start, start + 4));
  const second = bytes[start + 1];
  let count = 0;
  let end = start;
  for (;;) {
    const begins = end + 4 <= bytes.length && bytes[end] === 0xff && bytes[end + 1] === second;
    const length = begins ? (lengths[bytes[end + 2] as number] as number) : 0;
    if (length === 0) return { count, end, cut: false };
    if (end + length > bytes.length) return { count, end, cut: true };
    end += length;
    count++;
  }
}

function lengthsOfKind(header: Buffer): Int32Array {
  const rate = parseFrameHeader(header, 0)?.sampleRate;
  return Int32Array.from({ length: 256 }, (_, third) => {
    const like = Buffer.from(header);
    like[2] = third;
    const parsed = parseFrameHeader(like, 0);
    return parsed?.sampleRate === rate ? (parsed?.bytes ?? 0) : 0;
  });
}

function heardSamples(samples: number, info: InfoTag | undefined): number {
  if (!info || info.delay + info.padding === 0) return samples;
  const delay = info.delay + DECODER_DELAY;
  return Math.max(0, samples - delay - Math.max(0, info.padding - DECODER_DELAY));
}

interface ProbedAudio {
  format: 'wav' | 'mp3';
  seconds: number;
  text?: string;
}

/** `fault` completes the sentence "The audio file cannot be read:". */
interface AudioFault {
  fault: string;
  choice?: ChoiceId;
}
