import { crc32 } from 'node:zlib';
import type { Canvas } from '../paint/canvas.ts';
import { RowDeflate } from './row-deflate.ts';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const PALETTE_COLOUR = 3;
const PERCEPTUAL = 0;
const EMPTY_CHUNK = 12;
/** Ancillary, private, safe to copy: nobody has to understand it. */
const FILLER = 'flLr';
const END = chunk('IEND', Buffer.alloc(0));

/** Writes 8-bit palette PNGs of one size; its memory is used again. */
export class PngEncoder {
  readonly #deflate: RowDeflate;

  constructor(width: number, height: number) {
    this.#deflate = new RowDeflate(width, height);
  }

  /** The texts (keyword to UTF-8 text) stand before the pixels; behind them what makes the file up to `bytes` large. */
  encode(canvas: Canvas, texts: Record<string, string>, bytes = 0): Buffer {
    const parts = this.#parts(canvas, texts);
    const missing = bytes - parts.reduce((sum, part) => sum + part.length, EMPTY_CHUNK + END.length);
    const filler = missing > 0 ? [chunk(FILLER, Buffer.alloc(missing))] : [];
    return Buffer.concat([...parts, ...filler, END]);
  }

  #parts(canvas: Canvas, texts: Record<string, string>): Buffer[] {
    return [
      SIGNATURE,
      chunk('IHDR', header(canvas)),
      chunk('sRGB', Buffer.from([PERCEPTUAL])),
      chunk('PLTE', palette(canvas)),
      ...Object.entries(texts).map(([keyword, text]) => chunk('iTXt', note(keyword, text))),
      chunk('IDAT', this.#deflate.deflate(canvas.pixels)),
    ];
  }
}

function header({ width, height }: Canvas): Buffer {
  const bytes = Buffer.alloc(13);
  bytes.writeUInt32BE(width, 0);
  bytes.writeUInt32BE(height, 4);
  bytes[8] = 8;
  bytes[9] = PALETTE_COLOUR;
  return bytes;
}

function palette({ palette: { colours, size } }: Canvas): Buffer {
  const bytes = Buffer.alloc(size * 3);
  for (let place = 0; place < size; place++) bytes.writeUIntBE(colours[place] ?? 0, place * 3, 3);
  return bytes;
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
