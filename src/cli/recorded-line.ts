import zlib from 'node:zlib';
import type { ContractNames } from './contract-names.ts';
import { KEPT, type PassedExchange } from './pass-on.ts';
import { lengthOf, PlainValues } from './plain-values.ts';

type Headers = PassedExchange['headers'];

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Writes requests with their answers, a line of JSON each, in which nothing is left but what the contract names. */
export class RecordedLines {
  readonly #names: ContractNames;
  readonly #values: PlainValues;

  constructor(names: ContractNames) {
    this.#names = names;
    this.#values = new PlainValues(names);
  }

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
      const isKnown = this.#names.query.has(name);
      const plain = this.#values.text(value, isKnown ? name : '');
      return `${isKnown ? name : `other_${name.length}`}=${encodeURIComponent(plain)}`;
    });
    return this.#where(where) + (parts.length === 0 ? '' : `?${parts.join('&')}`);
  }

  /** The segments that the contract has at their places, and a parameter by its form. */
  #where(where: string): string {
    const steps = where.split('/');
    const known = this.#names.paths.find(
      (each) => each.length === steps.length && each.every((step, at) => step.startsWith('{') || step === steps[at]),
    );
    if (!known) return where.startsWith('/v1/') ? `/v1/other-${where.length - 4}` : `/other-${where.length}`;
    return known.map((step, at) => (step.startsWith('{') ? this.#parameter(steps[at] ?? '') : step)).join('/');
  }

  #parameter(text: string): string {
    const plain = this.#values.text(text, 'id');
    return /^[a-z]+_\d+$/.test(plain) ? plain : `other-${text.length}`;
  }

  #headers(headers: Headers): Record<string, string> {
    const plain = Object.entries(headers).flatMap(([name, value]) => {
      if (!this.#names.headers.has(name)) return [];
      const text = [value ?? ''].flat().join(', ');
      return [[name, name === 'content-type' ? this.#media(text) : this.#header(name, text)]];
    });
    return Object.fromEntries(plain);
  }

  #header(name: string, text: string): string {
    if (name === 'content-encoding') return Object.hasOwn(UNPACKED, text) ? text : 'other';
    if (/^\d+$/.test(text)) return name.endsWith('credits-spent') ? text.slice(0, 5) : '1'.repeat(text.length);
    return this.#values.text(text);
  }

  #media(type = ''): string {
    const [media = ''] = type.split(';');
    const plain = media.trim().toLowerCase();
    return plain === '' || this.#names.media.has(plain) ? plain : 'other';
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
      return JSON.stringify(this.#values.value(JSON.parse(text)));
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
        return `${field}: ${(field === 'data' && this.#json(value)) || this.#values.text(value)}`;
      })
      .join('\n');
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
