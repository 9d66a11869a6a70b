import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { EmulatorError, invalidRequestError, quoted } from '../../base/errors.ts';

/** Throws `invalid_request` unless the bytes are JSON in UTF-8 within the limits, without half surrogate pairs. */
export function parseJsonBody(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw notUtf8();
  const text = bytes.toString();
  const value = parseBounded(bytes, text);
  // Half of a surrogate pair can only be written as an escape, because UTF-8 has no bytes for it.
  if (/\\u[dD]/.test(text)) requireWellFormed(value);
  return value;
}

function parseBounded(bytes: Buffer, text: string): unknown {
  if (bytes.length > DEEPEST) requireBounded(bytes);
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message.slice(0, 120) : 'unreadable';
    throw invalidRequestError(null, `The body is not valid JSON (${reason}); send one JSON object.`, 'C020');
  }
}

/** How deeply JSON may be nested [I226]. */
const DEEPEST = 100;
const MAX_CONTAINERS = 20_000;
const MAX_VALUES = 200_000;

/** With this bit set, `[` equals `{` and `]` equals `}`. */
const SAME_BRACKET = 0x20;
const OPENING = 0x7b;
const CLOSING = 0x7d;
const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];

/**
 * Counts brackets and commas before the body is parsed, because parsing a body that exceeds the limits can take
 * seconds.
 */
function requireBounded(bytes: Buffer): void {
  const bounds = new JsonBounds();
  let isText = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) isText = !isText;
    else if (!isText) bounds.count(byte);
    else if (byte === BACKSLASH) at += 1;
  }
  bounds.requireFew();
}

class JsonBounds {
  #depth = 0;
  #containers = 0;
  /** Starts at 1, because each further value of an array or object follows a comma. */
  #values = 1;

  count(byte: number): void {
    if (byte === COMMA) this.#values += 1;
    else if ((byte | SAME_BRACKET) === CLOSING) this.#depth -= 1;
    else if ((byte | SAME_BRACKET) === OPENING) this.#open();
  }

  requireFew(): void {
    const over = this.#containers > MAX_CONTAINERS;
    if (!over && this.#values <= MAX_VALUES) return;
    const limit = over ? `${MAX_CONTAINERS} objects and arrays` : `${MAX_VALUES} values`;
    throw invalidRequestError(null, `The body has more than ${limit}; send fewer.`, 'C028');
  }

  #open(): void {
    this.#depth += 1;
    this.#containers += 1;
    if (this.#depth <= DEEPEST) return;
    throw invalidRequestError(null, `The body is nested deeper than ${DEEPEST} levels; make it flatter.`, 'C028');
  }
}

function requireWellFormed(value: unknown, path: readonly string[] = []): void {
  if (typeof value === 'object' && value !== null) {
    for (const [name, each] of Object.entries(value)) {
      requireWellFormed(name, [...path, name.toWellFormed()]);
      requireWellFormed(each, [...path, name]);
    }
  } else if (typeof value === 'string' && !value.isWellFormed()) {
    const field = path.join('.');
    throw invalidRequestError(
      field || null,
      `${field || 'The body'} has half of a surrogate pair; send well-formed Unicode.`,
      'C281',
    );
  }
}

function notUtf8(): EmulatorError {
  return invalidRequestError(null, 'The body is not valid UTF-8; encode the JSON as UTF-8.', 'C020');
}

const MAX_OF_NOTHING = 65_536;

export async function readOptionalJsonBody(request: IncomingMessage): Promise<unknown> {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
  if (length === '0' && encoding === undefined) return {};
  requireUncompressed(request);
  const bytes = await readBodyBytes(request, MAX_OF_NOTHING);
  return bytes.length === 0 ? {} : parseJsonBody(withoutByteOrderMark(bytes));
}

const BYTE_ORDER_MARK = Buffer.from('\ufeff');

function withoutByteOrderMark(bytes: Buffer): Buffer {
  if (bytes[0] !== BYTE_ORDER_MARK[0]) return bytes;
  const isMarked = bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  return isMarked ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;
}

export function readBodyBytes(request: IncomingMessage, limit: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limit) return Promise.reject(tooLarge(limit));
  const chunks: Buffer[] = [];
  let length = 0;
  return new Promise((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > limit) reject(tooLarge(limit));
      else chunks.push(chunk);
    });
    request.on('end', () => {
      const [only] = chunks;
      resolve(chunks.length === 1 && only ? only : Buffer.concat(chunks));
    });
    const cutOff = () =>
      reject(invalidRequestError(null, 'The body ended before it was complete. Send all of it.', 'C020'));
    request.on('error', (error) => (error instanceof EmulatorError ? reject(error) : cutOff()));
    request.on('close', () => {
      if (!request.complete) cutOff();
    });
  });
}

function tooLarge(limit: number): EmulatorError {
  return new EmulatorError(
    'payload_too_large',
    `The body is over ${limit / 1_048_576} MiB, the limit of this operation. Send a smaller one.`,
    { headers: { connection: 'close' } },
  );
}

const JSON_LIMIT = 32 * 1_048_576;

export async function readJsonBodyBytes(request: IncomingMessage, limit = JSON_LIMIT): Promise<Buffer> {
  requireJson(request);
  return withoutByteOrderMark(await readBodyBytes(request, limit));
}

/**
 * Throws `unsupported_media_type` for any content encoding except `identity`, and for any transfer encoding except
 * `chunked`, the only one that Node decodes.
 */
export function requireUncompressed({ headers }: IncomingMessage): void {
  if (headers['content-encoding'] === undefined && headers['transfer-encoding'] === undefined) return;
  const [content, transfer] = [codings(headers['content-encoding']), codings(headers['transfer-encoding'])];
  const coding = content.find((each) => each !== 'identity') ?? transfer.find((each) => each !== 'chunked');
  if (coding === undefined) return;
  const name = content.includes(coding) ? 'Content-Encoding' : 'Transfer-Encoding';
  throw new EmulatorError(
    'unsupported_media_type',
    `The body is encoded as ${quoted(coding)}, and no encoding is accepted. Send it uncompressed, without ${coding} in ${name}.`,
  );
}

function codings(header = ''): string[] {
  const names = header.split(',').map((each) => each.trim().toLowerCase());
  return names.filter((each) => each !== '');
}

function requireJson(request: IncomingMessage): void {
  const type = request.headers['content-type'] ?? '';
  if (!/^application\/(?:json|[\w.+-]+\+json)\s*(?:;|$)/i.test(type)) {
    const got = type ? quoted(type) : 'none';
    throw new EmulatorError(
      'unsupported_media_type',
      `The body must be JSON, and its content type is ${got}. Send the header Content-Type: application/json.`,
      { choice: 'C021' },
    );
  }
  requireUncompressed(request);
}
