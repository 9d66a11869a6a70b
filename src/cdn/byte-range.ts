import { EmulatorError } from '../errors.ts';

/** First and last byte, both included. */
export interface ByteRange {
  start: number;
  end: number;
}

const SINGLE = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i;

/**
 * The part of `size` bytes that a Range header asks for; undefined where the whole is to be sent: without the header,
 * for several ranges, and for what is no range of bytes. Throws `range_not_satisfiable` beyond the end [I166].
 */
export function readRange(header: string | undefined, size: number): ByteRange | undefined {
  const [, first = '', last = ''] = SINGLE.exec(header ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  const range = first === '' ? suffix(Number(last), size) : interval(Number(first), last, size);
  if (range && range.start >= size) throw beyond(header, size);
  return range;
}

function suffix(length: number, size: number): ByteRange | undefined {
  if (size === 0 && length > 0) return undefined;
  return { start: length === 0 ? size : Math.max(0, size - length), end: size - 1 };
}

function interval(start: number, last: string, size: number): ByteRange | undefined {
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return undefined;
  return { start, end };
}

function beyond(header: string | undefined, size: number): EmulatorError {
  return new EmulatorError(
    'range_not_satisfiable',
    `The file has ${size} bytes, and none of them is in the range "${header?.slice(0, 80)}". Ask for bytes from 0 to ${Math.max(0, size - 1)}, or send no Range header.`,
    { headers: { 'content-range': `bytes */${size}` } },
  );
}
