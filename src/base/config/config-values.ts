import { statSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

const TRUE = ['1', 'true', 'yes', 'on'];
const FALSE = ['0', 'false', 'no', 'off'];
const UNITS = new Map([
  ['', 1],
  ['KiB', 2 ** 10],
  ['MiB', 2 ** 20],
  ['GiB', 2 ** 30],
  ['TiB', 2 ** 40],
]);
const HOST_NAME = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?$|^[0-9a-f]*:[0-9a-f:.]+$/;

/** A value comes as text from a flag or a variable, or as what it is from a program. */
const numeric = z.union([
  z.number(),
  z
    .string()
    .regex(/^\d+(?:\.\d+)?$/)
    .transform(Number),
]);

export const text = z.string().trim().min(1);

export const decimal = (min: number, max: number) => numeric.pipe(z.number().min(min).max(max));

export const whole = (min: number, max: number) => numeric.pipe(z.int().min(min).max(max));

export const switched = z.union([z.boolean(), z.enum([...TRUE, ...FALSE]).transform((word) => TRUE.includes(word))]);

/** Several values, as a list or separated by commas. */
export const listOf = <Item extends z.ZodType<unknown, string>>(item: Item) =>
  z.union([z.array(z.string()), z.string().transform(splitList)]).pipe(z.array(item));

/** `500MiB`, `5GiB` or a bare number of bytes; answers bytes. */
export const byteCount = z.union([z.number(), text.transform(readBytes)]).pipe(z.int().min(1));

/** A host without scheme and port, in lower case; an IPv6 address without brackets. */
export const hostName = text
  .transform((name) => name.toLowerCase().replace(/^\[(.*)\]$/, '$1'))
  .pipe(z.string().regex(HOST_NAME));

/** Scheme, host and port, as a browser writes them. */
export const origin = text.transform(readOrigin).pipe(z.string());

/** `A=B`: from origin A to origin B. */
export const route = text.transform(readRoute).pipe(z.tuple([z.string(), z.string()]));

/** An http(s) URL without user, query and hash; answered without a slash at its end. */
export const address = text.transform(readAddress).pipe(z.string());

/** The absolute path of something that exists. */
export const present = (kind: 'isFile' | 'isDirectory') =>
  text.transform((name) => path.resolve(name)).refine((name) => statSync(name, { throwIfNoEntry: false })?.[kind]());

function splitList(list: string): string[] {
  return list.split(',').filter((item) => item.trim() !== '');
}

function readBytes(size: string): number {
  const [, count, unit] = /^(\d+(?:\.\d+)?) ?([KMGT]iB)?$/.exec(size) ?? [];
  const factor = UNITS.get(unit ?? '');
  return factor === undefined ? Number.NaN : Math.floor(Number(count) * factor);
}

function readUrl(value: string): URL | undefined {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const plain = url && /^https?:$/.test(url.protocol) && !url.username && !url.password;
  return plain && !url.search && !url.hash ? url : undefined;
}

function readOrigin(value: string): string | undefined {
  const url = readUrl(value);
  return url?.pathname === '/' ? url.origin : undefined;
}

function readRoute(value: string): (string | undefined)[] {
  return value.split('=').map((end) => readOrigin(end.trim()));
}

function readAddress(value: string): string | undefined {
  return readUrl(value)?.href.replace(/(?<!\/)\/+$/, '');
}
