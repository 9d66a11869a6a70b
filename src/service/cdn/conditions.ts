import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { EmulatorError, quoted } from '../../base/errors.ts';
import { countWithNoun } from '../../base/text.ts';
import type { ServedFile } from '../../engine/library/served-files.ts';

/** The tag is the hash that names the stored file, because it changes with the bytes. */
export function entityTag({ file }: ServedFile): string {
  return `"${file}"`;
}

/**
 * The time of the file in milliseconds, rounded down to a second, because HTTP dates have no fractions. Undefined if
 * unknown.
 */
export function lastModified({ created }: ServedFile): number | undefined {
  return created === undefined ? undefined : Math.floor(created / 1000) * 1000;
}

export function requirePreconditions(headers: IncomingHttpHeaders, file: ServedFile): void {
  const { 'if-match': tags, 'if-unmodified-since': date } = headers;
  if (tags !== undefined) {
    // A weak tag never matches, because it does not promise equal bytes.
    if (!tagsIn(tags).some((tag) => tag === '*' || tag === entityTag(file))) throw changed('If-Match', tags, file);
  } else if (date !== undefined && isModified(file, date)) throw changed('If-Unmodified-Since', date, file);
}

export function isNotModified(headers: IncomingHttpHeaders, file: ServedFile): boolean {
  const { 'if-none-match': tags, 'if-modified-since': date } = headers;
  if (tags === undefined) return date !== undefined && isModified(file, date) === false;
  return tagsIn(tags).some((tag) => tag === '*' || tag.replace(/^W\//, '') === entityTag(file));
}

function tagsIn(header: string): string[] {
  return header.split(',').map((tag) => tag.trim());
}

/** Undefined if the date is invalid or the time of the file is unknown. The condition is then ignored. */
function isModified(file: ServedFile, date: string): boolean | undefined {
  const [since, modified] = [Date.parse(date), lastModified(file)];
  return Number.isNaN(since) || modified === undefined ? undefined : modified > since;
}

function changed(header: string, value: string, file: ServedFile): EmulatorError {
  return new EmulatorError(
    'precondition_failed',
    `The file does not fulfil ${header}: ${quoted(value)}. Its tag is ${entityTag(file)}. Send this tag, or leave the header out.`,
  );
}

export interface ByteRange {
  start: number;
  end: number;
}

export function setPartialContentHeaders(response: ServerResponse, { start, end }: ByteRange, size: number): void {
  response.statusCode = 206;
  response.setHeader('content-range', `bytes ${start}-${end}/${size}`);
}

export function parseRequestedRange(
  { headers }: { headers: IncomingHttpHeaders },
  file: ServedFile,
): { range?: ByteRange; part: ByteRange } {
  const condition = headers['if-range'];
  // Without a match, `If-Range` names another version of the file, and the range does not apply.
  const header = condition === undefined || isSame(file, String(condition)) ? headers.range : undefined;
  const range = readRange(header, file.bytes);
  return range ? { range, part: range } : { part: { start: 0, end: file.bytes - 1 } };
}

function isSame(file: ServedFile, condition: string): boolean {
  return condition === entityTag(file) || Date.parse(condition) === lastModified(file);
}

const SINGLE = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i;

/**
 * Returns undefined if the whole file must be sent: without a range, for several ranges, or for an invalid one. Throws
 * `range_not_satisfiable` for a range that starts beyond the end [I166].
 */
function readRange(header: string | undefined, size: number): ByteRange | undefined {
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
    `The file has ${countWithNoun(size, 'byte')}, none of which is in the range ${quoted(header ?? '')}. Ask for bytes from 0 to ${Math.max(0, size - 1)}, or send no Range header.`,
    { headers: { 'content-range': `bytes */${size}` } },
  );
}
