import { EmulatorError } from '../base/errors.ts';
import type { Size } from './picture/render-svg.ts';

interface ProbedPicture extends Size {
  format: 'png' | 'jpeg' | 'webp';
}

const MAX_SIDE = 16_384;
const MAX_PIXELS = 64 * 1024 * 1024;
const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

export function probePicture(bytes: Buffer): ProbedPicture {
  const probed = probe(bytes);
  const { width, height } = probed;
  if (width < 1 || height < 1) throw refused(`is ${width} × ${height} pixels; it must have at least one`);
  if (width > MAX_SIDE || height > MAX_SIDE) {
    throw refused(`is ${width} × ${height} pixels; a side may have at most ${MAX_SIDE}`);
  }
  if (width * height > MAX_PIXELS) {
    throw refused(`is ${width} × ${height} pixels; together they may be at most 64 megapixels`);
  }
  return probed;
}

function probe(bytes: Buffer): ProbedPicture {
  if (bytes.subarray(0, 8).equals(PNG_SIGNATURE)) return { format: 'png', ...walkPng(bytes) };
  if (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return { format: 'jpeg', ...walkJpeg(bytes) };
  if (bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP') {
    return { format: 'webp', ...walkWebp(bytes) };
  }
  throw refused('is not a PNG, JPEG or WebP file; give one of these');
}

function walkPng(bytes: Buffer): Size {
  let at = 8;
  let pixels = false;
  while (at + 12 <= bytes.length) {
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (at === 8 && (type !== 'IHDR' || length !== 13)) throw refused('is a PNG without its header; give a whole file');
    if (at + 12 + length > bytes.length) throw truncated('PNG');
    pixels ||= type === 'IDAT';
    at += 12 + length;
    if (type === 'IEND') {
      if (!pixels) throw refused('is a PNG without pixels; give a whole file');
      return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
    }
  }
  throw truncated('PNG');
}

const [START_OF_SCAN, END_OF_IMAGE] = [0xda, 0xd9];

function walkJpeg(bytes: Buffer): Size {
  let at = 2;
  let size: Size | undefined;
  while (at + 2 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    if (marker === END_OF_IMAGE && size) return size;
    if (marker === END_OF_IMAGE) throw refused('is a JPEG without a frame; give a whole file');
    if (isFrame(marker)) size = frameSize(bytes, at);
    at = afterSegment(bytes, at, marker);
  }
  throw truncated('JPEG');
}

function afterSegment(bytes: Buffer, at: number, marker: number): number {
  if (marker === 0xff) return at + 1;
  if (isBare(marker)) return at + 2;
  if (at + 4 > bytes.length) throw truncated('JPEG');
  const end = at + 2 + bytes.readUInt16BE(at + 2);
  return marker === START_OF_SCAN ? nextMarker(bytes, end) : end;
}

function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

function isBare(marker: number): boolean {
  return marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
}

function frameSize(bytes: Buffer, at: number): Size {
  if (at + 9 > bytes.length) throw truncated('JPEG');
  return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
}

function nextMarker(bytes: Buffer, from: number): number {
  let at = bytes.indexOf(0xff, from);
  while (at >= 0 && at + 1 < bytes.length) {
    const next = bytes[at + 1] ?? 0;
    if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at;
    at = bytes.indexOf(0xff, at + (next === 0xff ? 1 : 2));
  }
  throw truncated('JPEG');
}

function walkWebp(bytes: Buffer): Size {
  if (bytes.length < 30 || bytes.readUInt32LE(4) + 8 > bytes.length) throw truncated('WebP');
  const kind = bytes.toString('latin1', 12, 16);
  if (kind === 'VP8X') return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  if (20 + bytes.readUInt32LE(16) > bytes.length) throw truncated('WebP');
  if (kind === 'VP8 ') {
    return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
  }
  if (kind !== 'VP8L') throw refused('is a WebP without an image; give a whole file');
  const packed = bytes.readUInt32LE(21);
  return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 };
}

function truncated(format: string): EmulatorError {
  return refused(`is a ${format} that ends too early; give the whole file`);
}

function refused(fault: string): EmulatorError {
  return new EmulatorError('invalid_request', `The image ${fault}.`);
}
