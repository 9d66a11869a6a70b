import { readSyncsafe, TAG_HEADER_BYTES, type TagText, tagLength } from './id3-tag.ts';

const UTF16_WITH_MARK = 1;
/** So many frames of a tag are looked at. */
const MOST_FRAMES = 1000;

/** The texts of the ID3v2.3 or 2.4 tag at the beginning of `bytes`; what is broken or of another kind is passed over. */
export function readTag(bytes: Buffer): TagText[] {
  const length = Math.min(tagLength(bytes, 0) ?? 0, bytes.length);
  const version = bytes[3] ?? 0;
  if (length <= TAG_HEADER_BYTES || version < 3 || version > 4) return [];
  return readFrames(bytes.subarray(0, length), version);
}

function readFrames(tag: Buffer, version: number): TagText[] {
  const texts: TagText[] = [];
  let at = TAG_HEADER_BYTES;
  for (let read = 0; read < MOST_FRAMES && at + TAG_HEADER_BYTES < tag.length && tag[at] !== 0; read += 1) {
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
