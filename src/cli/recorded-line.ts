import zlib from 'node:zlib';
import { KNOWN } from '../control/openapi/known-words.ts';
import { readCatalogue } from '../engine/catalogue/catalogue.ts';
import { SERVICE } from '../service/api/routes.ts';
import { KEPT, type PassedExchange } from './pass-on.ts';

/** Words of the contract, ids of models, and the scheme of keys. */
const WORDS: ReadonlySet<string> = new Set([
  ...KNOWN.contract,
  ...readCatalogue()
    .list()
    .flatMap(({ id, kind }) => [id, kind]),
  'Bearer',
]);
/** Fields whose values are such words. */
const CLOSED: ReadonlySet<string> = new Set([...KNOWN.closed, 'code', 'model', 'voice']);
/** Of queries, with those of signed URLs. */
const QUERIES: ReadonlySet<string> = new Set([...KNOWN.queries, 'exp', 'sig']);
const HEADERS: ReadonlySet<string> = new Set([
  ...KNOWN.headers,
  'authorization',
  'content-type',
  'content-encoding',
  'content-length',
  'svc-emulator-warnings',
  'svc-emulator-dropped',
  'svc-emulator-credits-spent',
  'svc-emulator-credits-remaining',
  'svc-emulator-prompt-tokens',
  'svc-emulator-completion-tokens',
]);
const MEDIA: ReadonlySet<string> = new Set([...KNOWN.media, 'multipart/form-data']);
/** By their segments; a parameter begins with a colon. Those without one come first. */
const PATHS = SERVICE.map(({ path }) => path.split('/')).toSorted(
  (a, b) => Number(a.at(-1) === ':id') - Number(b.at(-1) === ':id'),
);

/** Levels of a value that are written. */
const DEEPEST = 100;
/** Numbers that say what a request asks for and what it cost, and nothing private. */
const MEASURES = new Set([
  'n',
  'seconds',
  'duration',
  'take',
  'index',
  'limit',
  'temperature',
  'max_tokens',
  'cfg_scale',
  'credits_spent',
]);
const MOST = 100_000;
/** A prefix, and what is drawn. */
const ID = /^([A-Za-z]{2,12})_[0-9A-Za-z_+/=-]{4,}$/;
const ID_NAME = /^id$|(?:_id|Id)$/;
const SIGNING = /sig|token|hmac|policy/i;
/** Of no machine. */
const HOST = 'https://host.invalid/';

/** Form of a text, and what is written in the place of all texts of that form; the first that fits. */
const FORMS: readonly (readonly [RegExp, (text: string) => string])[] = [
  [/^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?Z$/, () => '2020-01-01T00:00:00Z'],
  [/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/, () => '2020-01-01T00:00:00.000Z'],
  [/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/, () => '2020-01-01T00:00'],
  [/^https?:\/\//, addressLike],
  [/^data:/, () => 'data:,'],
  [/^[0-9a-f]{16,}$/i, ({ length }) => '0'.repeat(Math.min(length, 1000))],
  [/^[A-Za-z0-9+/]{64,}=*$/, () => 'Q'.repeat(64)],
  [/^whsec_/, () => 'whsec_…'],
  [/^Bearer /, (text) => `Bearer ${lengthOf(text.slice('Bearer '.length))}`],
];

type Headers = PassedExchange['headers'];

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/**
 * Writes requests with their answers, a line of JSON each: what the contract names stays, an id becomes a number of its own
 * behind its prefix, and of everything else its type, form and length are left.
 */
export class RecordedLines {
  readonly #ids = new Map<string, string>();

  line({ request, status, headers, body, failure, at, took }: PassedExchange): string {
    const { method, path } = request;
    return JSON.stringify({
      at: new Date(at).toISOString(),
      took_ms: Math.round(took),
      request: {
        method: METHODS.has(method) ? method : 'other',
        path: this.#path(path),
        headers: this.#headers(request.headers),
        body: this.#body(request.body, request.headers),
      },
      response: {
        status,
        headers: this.#headers(headers),
        body: this.#body(body, headers),
        ...(failure !== undefined && { failure }),
      },
    });
  }

  #path(path: string): string {
    const [where = '', query] = (path.split('#')[0] ?? '').split(/\?(.*)/s);
    const parts = [...new URLSearchParams(query)].map(([name, value]) => {
      const isKnown = QUERIES.has(name);
      const plain = this.#text(value, isKnown ? name : '');
      return `${isKnown ? name : `other_${name.length}`}=${encodeURIComponent(plain)}`;
    });
    return this.#where(where) + (parts.length === 0 ? '' : `?${parts.join('&')}`);
  }

  /** The segments that the contract has at their places, and a parameter by its form. */
  #where(where: string): string {
    const steps = where.split('/');
    const known = PATHS.find(
      (each) => each.length === steps.length && each.every((step, at) => step.startsWith(':') || step === steps[at]),
    );
    if (!known) return where.startsWith('/v1/') ? `/v1/other-${where.length - 4}` : `/other-${where.length}`;
    return known.map((step, at) => (step.startsWith(':') ? this.#parameter(steps[at] ?? '') : step)).join('/');
  }

  #parameter(text: string): string {
    const plain = this.#text(text, 'id');
    return /^[a-z]+_\d+$/.test(plain) ? plain : `other-${text.length}`;
  }

  #headers(headers: Headers): Record<string, string> {
    const plain = Object.entries(headers).flatMap(([name, value]) => {
      if (!HEADERS.has(name)) return [];
      const text = [value ?? ''].flat().join(', ');
      return [[name, name === 'content-type' ? this.#media(text) : this.#header(name, text)]];
    });
    return Object.fromEntries(plain);
  }

  #header(name: string, text: string): string {
    if (name === 'content-encoding') return Object.hasOwn(UNPACKED, text) ? text : 'other';
    if (/^\d+$/.test(text)) return name.endsWith('credits-spent') ? text.slice(0, 5) : '1'.repeat(text.length);
    return this.#text(text);
  }

  #media(type = ''): string {
    const [media = ''] = type.split(';');
    const plain = media.trim().toLowerCase();
    return plain === '' || MEDIA.has(plain) ? plain : 'other';
  }

  /** JSON and the events of a stream by their fields; of everything else the length. */
  #body({ bytes, length }: PassedExchange['body'], headers: Headers): string | null {
    if (length === 0) return null;
    const media = this.#media(headers['content-type']);
    const size = `${length} bytes of ${media || 'no type'}`;
    if (media !== 'text/event-stream' && !/^application\/(?:[\w.-]+\+)?json\b/.test(headers['content-type'] ?? '')) {
      return `[${size}]`;
    }
    if (length > bytes.length) return `[${size}, more than is kept]`;
    const text = unpacked(bytes, headers['content-encoding']);
    if (text === undefined) return `[${size}, packed otherwise than it says or longer than 4 MiB]`;
    return media === 'text/event-stream' ? this.#events(text) : (this.#json(text) ?? `[${size}, no whole JSON]`);
  }

  #json(text: string): string | undefined {
    try {
      return JSON.stringify(this.#value(JSON.parse(text)));
    } catch {
      return undefined;
    }
  }

  #events(text: string): string {
    return text
      .split(/\r?\n/)
      .map((line) => {
        const [, field, value = ''] = /^(data|event|id|retry): ?(.*)$/s.exec(line) ?? [];
        if (line === '' || line === 'data: [DONE]') return line;
        if (field === undefined) return `: ${lengthOf(line)}`;
        return `${field}: ${(field === 'data' && this.#json(value)) || this.#text(value)}`;
      })
      .join('\n');
  }

  /** `name` is that of the field, empty where it has none that the contract names. */
  #value(value: unknown, name = '', depth = 0): unknown {
    if (typeof value === 'string') return this.#text(value, name);
    if (typeof value === 'number') return plainNumber(value, name);
    if (typeof value !== 'object' || value === null) return value;
    if (depth === DEEPEST) return '… [deeper than 100 levels]';
    if (Array.isArray(value)) return value.map((each) => this.#value(each, name, depth + 1));
    const fields: [string, unknown][] = [];
    const taken = new Set<string>();
    for (const [key, each] of Object.entries(value)) {
      const isKnown = KNOWN.names.has(key);
      const plain = isKnown ? key : unused(`other_${[...key].length}`, taken);
      taken.add(plain);
      fields.push([plain, this.#value(each, isKnown ? key : '', depth + 1)]);
    }
    return Object.fromEntries(fields);
  }

  #text(text: string, name = ''): string {
    if (text === '' || WORDS.has(text)) return text;
    if (MEASURES.has(name) && /^\d{1,5}$/.test(text)) return text;
    if (name === 'param' && text.split('.').every((step) => /^\d{1,5}$/.test(step) || KNOWN.names.has(step))) {
      return text;
    }
    const id = this.#id(text, name);
    if (id !== undefined) return id;
    const [, written] = FORMS.find(([form]) => form.test(text)) ?? [];
    if (written) return written(text);
    // A service may have a word of its own for what the contract has a word for.
    if (CLOSED.has(name) && /^[A-Za-z][\w.+-]{0,39}$/.test(text)) return `other-${text.length}`;
    return lengthOf(text);
  }

  /** One id is the same everywhere in a recording. */
  #id(text: string, name: string): string | undefined {
    const [, prefix = ''] = ID.exec(text) ?? [];
    const isKnown = KNOWN.prefixes.has(prefix);
    if (prefix === '' || !(isKnown || (ID_NAME.test(name) && prefix !== 'whsec'))) return undefined;
    const known = this.#ids.get(text);
    if (known !== undefined) return known;
    const plain = `${isKnown ? prefix : 'other'}_${String(this.#ids.size + 1).padStart(6, '0')}`;
    this.#ids.set(text, plain);
    return plain;
  }
}

/** As many digits, all of them 1: a time in seconds stays one. */
function plainNumber(value: number, name: string): number {
  if (MEASURES.has(name) && Math.abs(value) < MOST) return value;
  if (!Number.isInteger(value)) return value < 0 ? -1.5 : 1.5;
  if (value === 0) return 0;
  const digits = String(Math.abs(value)).replaceAll(/\D/g, '').length;
  return Number('1'.repeat(Math.min(digits, 15))) * Math.sign(value);
}

function lengthOf(text: string): string {
  return `… [${[...text].length} characters]`;
}

/** A URL of another host, which is signed where this one is. */
function addressLike(text: string): string {
  const names = URL.canParse(text) ? [...new URL(text).searchParams.keys()] : [];
  return `${HOST}…${names.some((name) => SIGNING.test(name)) ? '?sig=…' : ''}`;
}

function unused(name: string, taken: ReadonlySet<string>): string {
  for (let n = 1; ; n += 1) {
    const plain = n === 1 ? name : `${name}_${n}`;
    if (!taken.has(plain)) return plain;
  }
}

type Unpack = (bytes: Buffer, options: { maxOutputLength: number }) => Buffer;
/** Node has the last one from 22.15 on. */
const { zstdDecompressSync } = zlib as typeof zlib & { zstdDecompressSync?: Unpack };

const UNPACKED: Readonly<Record<string, Unpack>> = {
  identity: (bytes) => bytes,
  gzip: zlib.gunzipSync,
  br: zlib.brotliDecompressSync,
  deflate: zlib.inflateSync,
  ...(zstdDecompressSync && { zstd: zstdDecompressSync }),
};

/** The text of a body that was packed as its `content-encoding` says; undefined where it was not, or is too long. */
function unpacked(bytes: Buffer, encoding = 'identity'): string | undefined {
  const unpack = Object.hasOwn(UNPACKED, encoding) ? UNPACKED[encoding] : undefined;
  try {
    return unpack?.(bytes, { maxOutputLength: KEPT }).toString();
  } catch {
    return undefined;
  }
}
