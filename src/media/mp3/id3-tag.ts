import type { SongRequest, SpeechRequest } from '../render-request.ts';
import type { SongMetadata } from '../song/song-parameters.ts';

interface TagText {
  frame: string;
  name?: string;
  text: string;
}

const TAG_HEADER_BYTES = 10;
const UTF8 = 3;
const UNDETERMINED_LANGUAGE = 'XXX';

export function encodeId3Tag(parts: readonly TagText[], padding = 0): Buffer {
  const frames = Buffer.concat(parts.map(writeFrame));
  const header = Buffer.alloc(TAG_HEADER_BYTES);
  header.write('ID3\x04', 'latin1');
  writeSyncsafe(header, 6, frames.length + padding);
  return Buffer.concat([header, frames, Buffer.alloc(padding)]);
}

function writeFrame(part: TagText): Buffer {
  const { frame } = part;
  const body = textBody(part);
  const header = Buffer.alloc(TAG_HEADER_BYTES);
  header.write(frame, 'latin1');
  writeSyncsafe(header, 4, body.length);
  return Buffer.concat([header, body]);
}

function textBody({ frame, name, text }: TagText): Buffer {
  return Buffer.concat([
    Buffer.from([UTF8]),
    Buffer.from(frame === 'USLT' ? `${UNDETERMINED_LANGUAGE}\0` : ''),
    Buffer.from(frame === 'TXXX' ? `${name}\0` : ''),
    Buffer.from(text),
  ]);
}

function writeSyncsafe(target: Buffer, at: number, value: number): void {
  for (let i = 0; i < 4; i++) target[at + i] = (value >>> (21 - 7 * i)) & 0x7f;
}

export function id3TagLength(bytes: Buffer, offset: number): number | undefined {
  if (bytes.toString('latin1', offset, offset + 3) !== 'ID3') return undefined;
  if (offset + TAG_HEADER_BYTES > bytes.length) return Number.POSITIVE_INFINITY;
  const footer = (bytes[offset + 5] ?? 0) & 0x10 ? TAG_HEADER_BYTES : 0;
  return TAG_HEADER_BYTES + readSyncsafe(bytes, offset + 6) + footer;
}

function readSyncsafe(bytes: Buffer, at: number): number {
  return [0, 1, 2, 3].reduce((value, i) => value * 128 + ((bytes[at + i] ?? 0) & 0x7f), 0);
}

const UTF16_WITH_MARK = 1;
const MAX_FRAMES = 1000;

export function parseId3Tag(bytes: Buffer): TagText[] {
  const length = Math.min(id3TagLength(bytes, 0) ?? 0, bytes.length);
  const version = bytes[3] ?? 0;
  if (length <= TAG_HEADER_BYTES || version < 3 || version > 4) return [];
  return readFrames(bytes.subarray(0, length), version);
}

function readFrames(tag: Buffer, version: number): TagText[] {
  const texts: TagText[] = [];
  let at = TAG_HEADER_BYTES;
  for (let read = 0; read < MAX_FRAMES && at + TAG_HEADER_BYTES < tag.length && tag[at] !== 0; read += 1) {
    const size = version === 4 ? readSyncsafe(tag, at + 4) : tag.readUInt32BE(at + 4);
    const from = at + TAG_HEADER_BYTES;
    const text = readText(tag.toString('latin1', at, at + 4), tag.subarray(from, from + size));
    if (text) texts.push(text);
    at = from + size;
  }
  return texts;
}

function readText(frame: string, body: Buffer): TagText | undefined {
  const encoding = body[0];
  if (encoding === undefined || !/^(T...|USLT)$/.test(frame)) return undefined;
  const content = decode(encoding, body.subarray(frame === 'USLT' ? 4 : 1));
  if (frame !== 'TXXX' && frame !== 'USLT') return { frame, text: content };
  const [name = '', ...rest] = content.split('\0');
  const joined = rest.join('\0');
  const text = encoding === UTF16_WITH_MARK ? joined.replace(/^\uFEFF/, '') : joined;
  return frame === 'TXXX' ? { frame, name, text } : { frame, text };
}

function decode(encoding: number, body: Buffer): string {
  if (encoding === 0) return body.toString('latin1');
  if (encoding === 3) return body.toString('utf8');
  const bigEndian = encoding === 2 || (body[0] === 0xfe && body[1] === 0xff);
  const even = Buffer.from(body.subarray(0, body.length - (body.length % 2)));
  return (bigEndian ? even.swap16() : even).toString('utf16le').replace(/^\uFEFF/, '');
}

const MARK = 'svc-emulator';
const INSTRUMENTAL = 'instrumental';
const COPIED_LYRICS = /^lyrics(?:-|$)/i;
const ENCODER: TagText = { frame: 'TSSE', text: 'svc-emulator (placeholder sound)' };

function paddedTag(frames: readonly TagText[], { bytes = 0 }: { bytes?: number }, soundBytes: number): Buffer {
  const tag = encodeId3Tag(frames);
  const missing = bytes - soundBytes - tag.length;
  return missing > 0 ? encodeId3Tag(frames, missing) : tag;
}

export function encodeSpeechTag(request: SpeechRequest, soundBytes: number): Buffer {
  const frames = [
    { frame: 'TIT2', text: `Speech by ${request.voice}` },
    ENCODER,
    { frame: 'USLT', text: request.text },
    { frame: 'TXXX', name: 'voice', text: request.voice },
    { frame: 'TXXX', name: 'model', text: request.model },
    { frame: 'TXXX', name: MARK, text: 'speech' },
  ];
  return paddedTag(frames, request, soundBytes);
}

export function encodeSongTag(request: SongRequest, description: SongMetadata, soundBytes: number): Buffer {
  const { title, style, lyrics, seed, model } = request;
  const sung: TagText[] = lyrics === null ? [] : [{ frame: 'USLT', text: lyrics }];
  const frames = [
    { frame: 'TIT2', text: title },
    { frame: 'TCON', text: description.genre },
    { frame: 'TBPM', text: `${description.tempo}` },
    { frame: 'TKEY', text: description.key },
    { frame: 'TLEN', text: `${description.length}` },
    ENCODER,
    ...sung,
    { frame: 'TXXX', name: 'style', text: style },
    { frame: 'TXXX', name: 'seed', text: `${seed}` },
    { frame: 'TXXX', name: 'model', text: model },
    { frame: 'TXXX', name: MARK, text: lyrics === null ? INSTRUMENTAL : 'song' },
  ];
  return paddedTag(frames, request, soundBytes);
}

export function findTagTranscript(texts: TagText[]): string | undefined {
  const mark = texts.find(({ frame, name }) => frame === 'TXXX' && name === MARK);
  if (!mark) return undefined;
  if (plain(mark) === INSTRUMENTAL) return '';
  const isLyrics = ({ frame, name = '' }: TagText) =>
    frame === 'USLT' || (frame === 'TXXX' && COPIED_LYRICS.test(name));
  const lyrics = texts.find(isLyrics);
  return lyrics && plain(lyrics);
}

function plain({ text }: TagText): string {
  return text.endsWith('\0') ? text.slice(0, -1) : text;
}
