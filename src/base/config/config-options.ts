import { statSync } from 'node:fs';
import { isIPv6 } from 'node:net';
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
const HOST_NAME = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?$/;

const numeric = z.union([
  z.number(),
  z
    .string()
    .regex(/^\d+(?:\.\d+)?$/)
    .transform(Number),
]);

const text = z.string().trim().min(1);

const decimal = (min: number, max: number) => numeric.pipe(z.number().min(min).max(max));

const whole = (min: number, max: number) => numeric.pipe(z.int().min(min).max(max));

const switched = z.union([z.boolean(), z.enum([...TRUE, ...FALSE]).transform((word) => TRUE.includes(word))]);

const listOf = <Item extends z.ZodType<unknown, string>>(item: Item) =>
  z.union([z.array(z.string()), z.string().transform(splitList)]).pipe(z.array(item));

const byteCount = z.union([z.number(), text.transform(readBytes)]).pipe(z.int().min(1));

/** A host without scheme and port, in lower case. An IPv6 address has no brackets. */
const hostName = text
  .transform((name) => name.toLowerCase().replace(/^\[(.*)\]$/, '$1'))
  .refine((name) => HOST_NAME.test(name) || isIPv6(name));

const pageOrigin = text.transform(readPageOrigin).pipe(z.string());

const route = text.transform(readRoute).pipe(z.tuple([z.string(), z.string()]));

const address = text.transform(readAddress).pipe(z.string());

const present = (kind: 'isFile' | 'isDirectory') =>
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

/** The origin of an app or a browser extension, such as `capacitor://localhost`, whose scheme is not one of the web. */
const APP_ORIGIN = /^(?!https?:|wss?:|ftp:)[a-z][a-z0-9+.-]*:\/\/[^\s/?#@*\\]*$/;

/** The text `null` is the origin of a sandboxed frame. Undefined if the origin is invalid. */
function readPageOrigin(value: string): string | undefined {
  const plain = value.toLowerCase().replace(/^([a-z][a-z0-9+.-]{0,30}:\/\/.+)\/$/, '$1');
  if (plain === 'null' || APP_ORIGIN.test(plain)) return plain;
  const origin = readOrigin(value);
  return origin?.includes('*') ? undefined : origin;
}

function readRoute(value: string): (string | undefined)[] {
  return value.split('=').map((end) => readOrigin(end.trim()));
}

function readAddress(value: string): string | undefined {
  return readUrl(value)?.href.replace(/(?<!\/)\/+$/, '');
}

export interface Option<S extends z.ZodType = z.ZodType> {
  argument?: string;
  negated?: true;
  repeatable?: true;
  isSecret?: true;
  fallback?: string;
  group: 'Server' | 'Data' | 'Behavior' | 'Media';
  help: string;
  /** Whether a value is a path. In a config file, a path is relative to the folder of the file. */
  isPath?: (value: string) => boolean;
  expected: string;
  schema: S;
}

export const OPTIONS = {
  config: {
    argument: 'file',
    group: 'Server',
    help: 'read options from this file (default: svc-emulator.config.json in the current folder, if it exists)',
    expected: 'a file that exists',
    schema: present('isFile'),
  },
  port: {
    argument: 'number',
    fallback: '4600',
    group: 'Server',
    help: 'listen on this port; 0 picks a free one',
    expected: 'a whole number from 0 to 65535',
    schema: whole(0, 65_535),
  },
  host: {
    argument: 'name',
    fallback: '127.0.0.1',
    group: 'Server',
    help: 'listen on this address; if other machines can reach it, control operations require the control token',
    expected: 'a host name or an IP address, such as 127.0.0.1 or 0.0.0.0',
    schema: hostName,
  },
  dataDir: {
    argument: 'folder',
    isPath: () => true,
    fallback: 'data',
    group: 'Data',
    help: 'keep all data in this folder',
    expected: 'the path of a folder',
    schema: text.transform((folder) => path.resolve(folder)),
  },
  maxDisk: {
    argument: 'size',
    fallback: '5GiB',
    group: 'Data',
    help: 'remove the least recently used renders above this total size; a read renders them again',
    expected: 'a size such as 500MiB, 5GiB or a number of bytes',
    schema: byteCount,
  },
  journalLimit: {
    argument: 'number',
    fallback: '10000',
    group: 'Data',
    help: 'keep this many requests in the journal',
    expected: 'a whole number from 100 to 1000000',
    schema: whole(100, 1_000_000),
  },
  ephemeral: {
    fallback: 'false',
    group: 'Data',
    help: 'use a temporary folder and remove it at the end',
    expected: 'true or false',
    schema: switched,
  },
  credits: {
    argument: 'number',
    fallback: '100000',
    group: 'Data',
    help: 'set the balance of the first account',
    expected: 'a whole number from 0 to 1000000000',
    schema: whole(0, 1_000_000_000),
  },
  demo: {
    fallback: 'false',
    group: 'Data',
    help: 'create sample flows, images, videos and songs in the first account',
    expected: 'true or false',
    schema: switched,
  },
  world: {
    argument: 'file',
    isPath: () => true,
    group: 'Data',
    help: 'create the state that this file declares, such as accounts, flows and requests',
    expected: 'a file that exists',
    schema: present('isFile'),
  },
  strict: {
    fallback: 'false',
    group: 'Behavior',
    help: 'reject unknown fields, and webhook endpoints on this machine',
    expected: 'true or false',
    schema: switched,
  },
  forward: {
    argument: 'A=B',
    repeatable: true,
    fallback: '',
    group: 'Behavior',
    help: 'send webhooks for origin A to origin B instead',
    expected: 'two origins, such as https://app.example.com=http://localhost:3000',
    schema: listOf(route).transform((routes): ReadonlyMap<string, string> => new Map(routes)),
  },
  settleAfter: {
    argument: 'seconds',
    fallback: '1',
    group: 'Behavior',
    help: 'make a rendered job final after this time if nobody polls it',
    expected: 'a number of seconds from 0 to 3600',
    schema: decimal(0, 3600),
  },
  rateLimit: {
    argument: 'number',
    group: 'Behavior',
    help: 'limit each key to this many requests a minute (default: no limit)',
    expected: 'a whole number from 1 to 1000000',
    schema: whole(1, 1_000_000),
  },
  publicUrl: {
    argument: 'url',
    group: 'Server',
    help: 'use this address in the URLs of responses (default: the Host of the request)',
    expected: 'an http or https URL without a user name, password or query, such as https://media.example.com',
    schema: address,
  },
  allowHost: {
    argument: 'name',
    repeatable: true,
    fallback: '',
    group: 'Server',
    help: 'also accept requests for this host name',
    expected: 'a host name without scheme and port, such as emulator.internal',
    schema: listOf(hostName),
  },
  cors: {
    argument: 'origin',
    repeatable: true,
    fallback: '',
    group: 'Server',
    help: 'let pages from this origin call /v1 and /cdn',
    expected: 'each origin in full, without wildcards, such as https://app.example.com, capacitor://localhost or null',
    schema: listOf(pageOrigin),
  },
  controlToken: {
    isSecret: true,
    argument: 'token',
    group: 'Server',
    help: 'set the token that control operations require if other machines can reach the emulator (default: a random token, which is printed)',
    expected: 'at least 8 letters, digits or any of -._~+/=',
    schema: z.string().regex(/^[A-Za-z0-9\-._~+/]{8,}=*$/),
  },
  fixtures: {
    argument: 'folder',
    isPath: () => true,
    group: 'Behavior',
    help: 'read scripted answers from this folder; a catalogue.json in it replaces the built-in models and prices',
    expected: 'a folder that exists',
    schema: present('isDirectory'),
  },
  fixturesOnly: {
    fallback: 'false',
    group: 'Behavior',
    help: 'reject requests that match no scripted answer',
    expected: 'true or false',
    schema: switched,
  },
  profile: {
    argument: 'file',
    isPath: (value) => value !== 'production',
    group: 'Behavior',
    help: 'take latency and failure rates from a profile: production (built in), or a file',
    expected: 'production, or the path of a latency profile',
    schema: text,
  },
  warm: {
    negated: true,
    fallback: 'true',
    group: 'Media',
    help: 'do not prepare the renderer before the first render',
    expected: 'true or false',
    schema: switched,
  },
  mediaSize: {
    argument: 'size',
    fallback: 'small',
    group: 'Media',
    help: 'set the file size of images and videos: small, or realistic (like real media)',
    expected: 'small or realistic',
    schema: z.enum(['small', 'realistic']),
  },
  ffmpeg: {
    argument: 'path',
    isPath: () => true,
    group: 'Media',
    help: 'use this ffmpeg instead of the packaged one',
    expected: 'a file that exists',
    schema: present('isFile'),
  },
  seed: {
    argument: 'number',
    group: 'Data',
    help: 'make keys, secrets and random failures repeatable',
    expected: 'a whole number from 0 to 9007199254740991',
    schema: whole(0, Number.MAX_SAFE_INTEGER),
  },
  log: {
    argument: 'form',
    fallback: 'pretty',
    group: 'Server',
    help: 'set the log format: pretty, json or silent',
    expected: 'pretty, json or silent',
    schema: z.enum(['pretty', 'json', 'silent']),
  },
} as const satisfies Record<string, Option>;

export const DEFAULT_URL = `http://${OPTIONS.host.fallback}:${OPTIONS.port.fallback}`;
