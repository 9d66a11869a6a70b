/** A text that a tag carries: a plain text frame such as TIT2, the lyrics (USLT), or a named one (TXXX). */
export interface TagText {
  /** Four characters. */
  frame: string;
  /** The name of a TXXX frame. */
  name?: string;
  text: string;
}

/** A frame that is no text: its body as it is written. */
export interface TagData {
  frame: string;
  body: Buffer;
}

export const TAG_HEADER_BYTES = 10;
const UTF8 = 3;
const UNDETERMINED_LANGUAGE = 'XXX';

/** An ID3v2.4 tag with its texts in UTF-8, and `padding` zeros. It holds no date, so the same frames make the same bytes. */
export function writeTag(parts: readonly (TagText | TagData)[], padding = 0): Buffer {
  const frames = writeFrames(parts);
  const header = Buffer.alloc(TAG_HEADER_BYTES);
  header.write('ID3\x04', 'latin1');
  writeSyncsafe(header, 6, frames.length + padding);
  return Buffer.concat([header, frames, Buffer.alloc(padding)]);
}

/** Frames as they stand in a tag, or within a chapter. */
export function writeFrames(parts: readonly (TagText | TagData)[]): Buffer {
  return Buffer.concat(parts.map(writeFrame));
}

function writeFrame(part: TagText | TagData): Buffer {
  const { frame } = part;
  const body = 'body' in part ? part.body : textBody(part);
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

/** Bytes of the ID3v2 tag at `offset`, header and footer included; undefined where none stands. */
export function tagLength(bytes: Buffer, offset: number): number | undefined {
  if (bytes.toString('latin1', offset, offset + 3) !== 'ID3') return undefined;
  if (offset + TAG_HEADER_BYTES > bytes.length) return Number.POSITIVE_INFINITY;
  const footer = (bytes[offset + 5] ?? 0) & 0x10 ? TAG_HEADER_BYTES : 0;
  return TAG_HEADER_BYTES + readSyncsafe(bytes, offset + 6) + footer;
}

/** 28 bits in four bytes whose top bits are clear; a set top bit is ignored. */
export function readSyncsafe(bytes: Buffer, at: number): number {
  return [0, 1, 2, 3].reduce((value, i) => value * 128 + ((bytes[at + i] ?? 0) & 0x7f), 0);
}
