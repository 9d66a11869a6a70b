import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { redact } from '../journal/redaction.ts';
import type { Mask } from '../trace/mask.ts';
import type { PassedExchange } from './pass-on.ts';

/** Characters of a text that is kept; of a longer one only the length is kept. */
const LONGEST = 80;
const SECRET_NAME = /key|secret|token|password|cookie|authorization|signature/i;

/**
 * A request with its answer as one line of JSON, redacted by what each value is: keys, secrets and the values of signed URLs
 * are masked, long texts and files are named by their length.
 */
export function recordedLine({ request, status, headers, body, at, took }: PassedExchange, mask: Mask): string {
  const { method, path } = request;
  return mask.json({
    at: new Date(at).toISOString(),
    took_ms: Math.round(took),
    request: {
      method,
      path: plainPath(path),
      headers: plainHeaders(request.headers),
      body: plainBody(request.body, request.headers),
    },
    response: { status, headers: plainHeaders(headers), body: plainBody(body, headers) },
  });
}

type Headers = PassedExchange['headers'];

function plainPath(path: string): string {
  const [where = '', query] = path.split(/\?(.*)/s);
  const parts = [...new URLSearchParams(query)].map(([name, value]) => {
    const plain = SECRET_NAME.test(name) ? '…' : plainText(value);
    return `${encodeURIComponent(name)}=${encodeURIComponent(plain)}`;
  });
  return parts.length === 0 ? redact(where) : `${redact(where)}?${parts.join('&')}`;
}

function plainHeaders(headers: Headers): Record<string, string> {
  const plain = Object.entries(headers).map(([name, value]) => {
    const text = [value ?? ''].flat().join(', ');
    return [name, SECRET_NAME.test(name) ? masked(text) : plainText(text)];
  });
  return Object.fromEntries(plain);
}

/** JSON and the events of a stream with their fields; of a file its length. */
function plainBody(bytes: Buffer, headers: Headers): string | null {
  if (bytes.length === 0) return null;
  const type = headers['content-type'] ?? '';
  if (!/json|event-stream|^text\//.test(type)) return `[${bytes.length} bytes of ${type || 'no type'}]`;
  const text = unpacked(bytes, headers['content-encoding']);
  if (text === undefined) return `[${bytes.length} bytes of ${type}, packed otherwise than it says]`;
  if (!type.includes('event-stream')) return plainJson(text);
  return text
    .split('\n')
    .map((line) => (line.startsWith('data: ') ? `data: ${plainJson(line.slice(6))}` : plainText(line)))
    .join('\n');
}

/** The text of a body that was packed as its `content-encoding` says; undefined where it was not. */
export function unpacked(bytes: Buffer, encoding: string | undefined): string | undefined {
  try {
    if (encoding === 'gzip') return gunzipSync(bytes).toString();
    if (encoding === 'br') return brotliDecompressSync(bytes).toString();
    return (encoding === 'deflate' ? inflateSync(bytes) : bytes).toString();
  } catch {
    return undefined;
  }
}

function plainJson(text: string): string {
  try {
    return JSON.stringify(plainValue(JSON.parse(text)));
  } catch {
    return plainText(text);
  }
}

function plainValue(value: unknown, name = ''): unknown {
  if (typeof value === 'string') return SECRET_NAME.test(name) ? masked(value) : plainText(value);
  if (Array.isArray(value)) return value.map((each) => plainValue(each, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plainValue(each, key)]));
}

/** In the place of any bytes: no hexadecimal number. */
const BASE64 = 'Q'.repeat(64);

/** A URL keeps its form: the names of what its query has, and no value. */
function plainText(text: string): string {
  if (/^https?:\/\/[^\s?]*\?/.test(text) && URL.canParse(text)) {
    const { origin, searchParams } = new URL(text);
    const names = [...searchParams.keys()].map((name) => `${encodeURIComponent(name)}=…`);
    return `${origin}/…?${names.join('&')}`;
  }
  if (text.length > LONGEST && /^[A-Za-z0-9+/]+=*$/.test(text)) return BASE64;
  const plain = redact(text);
  return plain.length > LONGEST ? `… [${[...plain].length} characters]` : plain;
}

/** What kind of secret it is stays: `Bearer`, `whsec_`. */
function masked(text: string): string {
  const [kind = ''] = /^(?:Bearer )?(?:[a-z]{2,8}_)*/.exec(text) ?? [];
  return `${kind}…`;
}
