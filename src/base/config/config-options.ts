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

/** One option: a row gives a flag, an environment variable, a line of help and the texts of its errors. */
export interface Option<S extends z.ZodType = z.ZodType> {
  /** The argument of the flag in the help; a switch has none. */
  argument?: string;
  /** On unless it is switched off: its flag is `--no-` and its name. */
  negated?: true;
  /** May be given several times; its variable is comma-separated. */
  repeatable?: true;
  /** Used when neither flag nor variable is given, in the form in which a user would write it. */
  fallback?: string;
  help: string;
  /** Whether a value is a path, which a config file gives relative to its own folder. */
  isPath?: (value: string) => boolean;
  /** Completes "expected …" in an error. */
  expected: string;
  schema: S;
}

/** Every option of the emulator, in the order in which help prints them. */
export const OPTIONS = {
  config: {
    argument: 'file',
    help: 'file with options (default: svc-emulator.config.json of this folder, where there is one)',
    expected: 'a file that exists',
    schema: present('isFile'),
  },
  port: {
    argument: 'number',
    fallback: '4600',
    help: 'port to listen on; 0 picks a free one',
    expected: 'a whole number from 0 to 65535',
    schema: whole(0, 65_535),
  },
  host: {
    argument: 'name',
    fallback: '127.0.0.1',
    help: 'address to listen on; beyond loopback the control surface wants its token',
    expected: 'a host name or an IP address, such as 127.0.0.1 or 0.0.0.0',
    schema: hostName,
  },
  dataDir: {
    argument: 'folder',
    isPath: () => true,
    fallback: 'data',
    help: 'where everything is kept',
    expected: 'the path of a folder',
    schema: text.transform((folder) => path.resolve(folder)),
  },
  maxDisk: {
    argument: 'size',
    fallback: '5GiB',
    help: 'above this, the oldest renders are removed and made again when read',
    expected: 'a size such as 500MiB, 5GiB or a number of bytes',
    schema: byteCount,
  },
  journalLimit: {
    argument: 'number',
    fallback: '10000',
    help: 'requests that the journal keeps; the oldest make way for the newest',
    expected: 'a whole number from 100 to 1000000',
    schema: whole(100, 1_000_000),
  },
  ephemeral: {
    fallback: 'false',
    help: 'keep nothing: a temporary folder, removed at the end',
    expected: 'true or false',
    schema: switched,
  },
  credits: {
    argument: 'number',
    fallback: '100000',
    help: 'balance of the first account',
    expected: 'a whole number from 0 to 1000000000',
    schema: whole(0, 1_000_000_000),
  },
  demo: {
    fallback: 'false',
    help: 'begin with ready-made flows and an account that has made a few things',
    expected: 'true or false',
    schema: switched,
  },
  world: {
    argument: 'file',
    isPath: () => true,
    help: 'begin with the accounts, keys, endpoints, rules and flows that this file declares',
    expected: 'a file that exists',
    schema: present('isFile'),
  },
  strict: {
    fallback: 'false',
    help: 'refuse what is leniently accepted: unknown fields, receivers on this machine',
    expected: 'true or false',
    schema: switched,
  },
  forward: {
    argument: 'A=B',
    repeatable: true,
    fallback: '',
    help: 'send webhooks due to origin A to origin B',
    expected: 'two origins, such as https://app.example.com=http://localhost:3000',
    schema: listOf(route).transform((routes): ReadonlyMap<string, string> => new Map(routes)),
  },
  settleAfter: {
    argument: 'seconds',
    fallback: '1',
    help: 'how soon a finished render that is not polled is announced',
    expected: 'a number of seconds from 0 to 3600',
    schema: decimal(0, 3600),
  },
  rateLimit: {
    argument: 'number',
    help: 'requests that a key may make in a minute (default: no limit)',
    expected: 'a whole number from 1 to 1000000',
    schema: whole(1, 1_000_000),
  },
  publicUrl: {
    argument: 'url',
    help: 'address on which URLs in answers are built (default: the Host of the request)',
    expected: 'an http or https URL without query, such as https://media.example.com',
    schema: address,
  },
  allowHost: {
    argument: 'name',
    repeatable: true,
    fallback: '',
    help: 'accept requests under this host name too',
    expected: 'a host name without scheme and port, such as emulator.internal',
    schema: listOf(hostName),
  },
  cors: {
    argument: 'origin',
    repeatable: true,
    fallback: '',
    help: 'let pages of this origin call /v1 and /cdn',
    expected: 'an origin, such as https://app.example.com',
    schema: listOf(origin),
  },
  controlToken: {
    argument: 'token',
    help: 'token of the control surface beyond loopback (default: made and printed)',
    expected: 'at least 8 letters, digits or any of -._~+/=',
    schema: z.string().regex(/^[A-Za-z0-9\-._~+/]{8,}=*$/),
  },
  fixtures: {
    argument: 'folder',
    isPath: () => true,
    help: 'scripted answers, and a catalogue.json that replaces the shipped engines',
    expected: 'a folder that exists',
    schema: present('isDirectory'),
  },
  fixturesOnly: {
    fallback: 'false',
    help: 'refuse what no scripted answer fits',
    expected: 'true or false',
    schema: switched,
  },
  supervise: {
    fallback: 'false',
    help: 'start again what a crash fault ends',
    expected: 'true or false',
    schema: switched,
  },
  profile: {
    argument: 'file',
    isPath: (value) => value !== 'production',
    help: 'how long work takes and how often it fails: production, or a file of your own',
    expected: 'production, or the path of a latency profile',
    schema: text,
  },
  warm: {
    negated: true,
    fallback: 'true',
    help: 'prepare nothing for the first render before it is asked for',
    expected: 'true or false',
    schema: switched,
  },
  mediaSize: {
    argument: 'size',
    fallback: 'small',
    help: 'small, or realistic: pictures and clips as many bytes as real ones have',
    expected: 'small or realistic',
    schema: z.enum(['small', 'realistic']),
  },
  ffmpeg: {
    argument: 'path',
    isPath: () => true,
    help: 'another ffmpeg than the packaged one',
    expected: 'a file that exists',
    schema: present('isFile'),
  },
  seed: {
    argument: 'number',
    help: 'make keys, secrets and chances repeatable',
    expected: 'a whole number from 0 to 9007199254740991',
    schema: whole(0, Number.MAX_SAFE_INTEGER),
  },
  log: {
    argument: 'form',
    fallback: 'pretty',
    help: 'pretty, json or silent',
    expected: 'pretty, json or silent',
    schema: z.enum(['pretty', 'json', 'silent']),
  },
} as const satisfies Record<string, Option>;
