import { crc32 } from 'node:zlib';

/** Signature and header, with which every PNG begins. */
const HEAD_BYTES = 33;
const EMPTY_CHUNK = 12;
/** Ancillary, private, safe to copy: nobody has to understand it. */
const FILLER = 'flLr';
/** Colours are to look right rather than to be exact. */
const COLOURS = chunk('sRGB', Buffer.from([0]));

/** Puts texts (keyword to UTF-8 text) before the pixels of a PNG, and at its end what makes it `bytes` large. */
export function withTexts(png: Buffer, texts: Record<string, string>, bytes = 0): Buffer {
  const notes = Object.entries(texts).map(([keyword, text]) => chunk('iTXt', note(keyword, text)));
  const [head, rest] = [png.subarray(0, HEAD_BYTES), png.subarray(HEAD_BYTES, -EMPTY_CHUNK)];
  const parts = [head, COLOURS, ...notes, rest];
  const missing = bytes - parts.reduce((sum, part) => sum + part.length, 2 * EMPTY_CHUNK);
  const filler = missing > 0 ? [chunk(FILLER, Buffer.alloc(missing))] : [];
  return Buffer.concat([...parts, ...filler, png.subarray(-EMPTY_CHUNK)]);
}

/** Keyword, no compression, no language, text. */
function note(keyword: string, text: string): Buffer {
  return Buffer.concat([Buffer.from(keyword, 'latin1'), Buffer.alloc(5), Buffer.from(text, 'utf8')]);
}

function chunk(type: string, data: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(data.length + 12);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(type, 4, 'latin1');
  data.copy(bytes, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length);
  return bytes;
}
