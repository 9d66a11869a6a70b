import type { ChoiceId } from '../base/errors.ts';
import { EmulatorError, invalid } from '../base/errors.ts';
import { type FrameHeader, parseFrameHeader } from './mp3/frame-header.ts';
import { readTag, tagLength } from './mp3/id3-tag.ts';
import { carriedText } from './mp3/own-tag.ts';
import { DECODER_DELAY, type InfoTag, readInfoTag } from './mp3/stream-format.ts';

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

/** What an uploaded sound file is. */
interface ProbedAudio {
  format: 'wav' | 'mp3';
  /** Real length, from the structure of the file. */
  seconds: number;
  /** What the tags of a file of ours carry: the words spoken, or the lyrics (empty for an instrumental). */
  text?: string;
}

/** Why a file that looks like audio cannot be read: the second half of a sentence. */
interface AudioFault {
  fault: string;
  /** That by which it is refused, where the service leaves that open. */
  choice?: ChoiceId;
}

/** Tags that other programs put behind the sound, after zeros or at once. */
const TRAILERS = /^(TAG|APETAGEX|LYRICSBEGIN|ID3|3DI)/;

/** More tags than these at the beginning of a file are no programs' doing. */
const MOST_TAGS = 64;
const ZEROS = Buffer.alloc(65_536);

/** Walks the tags and frames of an MP3 file; undefined where it is none. */
function probeMp3(bytes: Buffer): ProbedAudio | AudioFault | undefined {
  const start = skipTags(bytes);
  if (start === undefined) return { fault: `it begins with over ${MOST_TAGS} ID3 tags.`, choice: 'C031' };
  if (start > bytes.length) return { fault: 'its ID3 tag is longer than the file.' };
  const walk = walkFrames(bytes, start);
  if (!walk || !convincing(bytes, start, walk)) return undefined;
  const fault = walkFault(bytes, walk);
  if (fault) return { fault };
  const seconds = walk.samples / walk.first.sampleRate;
  const text = start > 0 ? carriedText(readTag(bytes)) : undefined;
  return text === undefined ? { format: 'mp3', seconds } : { format: 'mp3', seconds, text };
}

/** Where the sound begins; undefined behind too many tags. */
function skipTags(bytes: Buffer): number | undefined {
  let at = 0;
  for (let tags = 0; tags <= MOST_TAGS; tags += 1) {
    const length = tagLength(bytes, at);
    if (length === undefined) return at;
    at += length;
    if (at >= bytes.length) return at;
  }
  return undefined;
}

/** Four bytes can look like a header by chance: without a tag, a second frame, an Info tag or the file's end must follow. */
function convincing(bytes: Buffer, start: number, walk: FrameWalk): boolean {
  const soleFrame = start + walk.first.bytes;
  return start > 0 || walk.end > soleFrame || bytes.length <= soleFrame || walk.info !== undefined;
}

function walkFault(bytes: Buffer, walk: FrameWalk): string | undefined {
  if (walk.cut) return `its last frame, at byte ${walk.end}, is cut.`;
  if (walk.frames === 0) return 'it holds no frame of sound.';
  const said = walk.info?.frames;
  if (said !== undefined && said > walk.frames) {
    return `its header says ${said} frames, it has ${walk.frames}.`;
  }
  return isTrailer(bytes, walk.end) ? undefined : `no MPEG frame begins at byte ${walk.end}.`;
}

function isTrailer(bytes: Buffer, end: number): boolean {
  const at = zerosEnd(bytes, end);
  return at === bytes.length || TRAILERS.test(bytes.toString('latin1', at, at + 11));
}

/** There may be a hundred megabytes of them, which are compared many at a time. */
function zerosEnd(bytes: Buffer, from: number): number {
  let at = from;
  while (at + ZEROS.length <= bytes.length && bytes.compare(ZEROS, 0, ZEROS.length, at, at + ZEROS.length) === 0) {
    at += ZEROS.length;
  }
  while (at < bytes.length && bytes[at] === 0) at += 1;
  return at;
}

/** A run of MPEG frames, walked from header to header. */
interface FrameWalk {
  first: FrameHeader;
  /** The first frame's Xing or Info tag, if it has one; that frame is not sound. */
  info?: InfoTag;
  /** Frames of sound that are whole. */
  frames: number;
  /** Samples a channel that a decoder gives, delay and padding taken off where the tag has them. */
  samples: number;
  /** Where the last whole frame ends. */
  end: number;
  /** Whether a frame began at `end` whose bytes are not all there. */
  cut: boolean;
}

/** Walks the frames that begin at `start`; undefined where no frame stands there. Stops at the first byte that begins no frame of the same kind. */
export function walkFrames(bytes: Buffer, start: number): FrameWalk | undefined {
  const first = parseFrameHeader(bytes, start);
  if (!first) return undefined;
  const info = readInfoTag(bytes, start, first);
  const { count, end, cut } = countFrames(bytes, start);
  const frames = Math.max(0, count - (info ? 1 : 0));
  return { first, info, frames, samples: heardSamples(frames * first.samples, info), end, cut };
}

/** A hundred megabytes are walked on the main thread, so frames of one kind are recognised by their bytes, not parsed anew. */
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

/** The length of a frame by the third byte of its header, where version, checksum and sample rate are those of `header`; 0 for others. */
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
