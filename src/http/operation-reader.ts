import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import type { Cancel, Clock } from '../clock/clock.ts';
import { EmulatorError, invalid, quoted } from '../errors.ts';
import type { Context } from './context.ts';
import { mistypedError, mistypedIn, mistypedWarning } from './directed-text.ts';
import { InputReader } from './input.ts';
import { refuseUnknown } from './issue-text.ts';
import { DEEPEST, notJson, requireBounded } from './json-bounds.ts';
import { type Parsing, parseLargeJson } from './large-json.ts';
import type { Operation } from './operation.ts';
import { type CallInput, requestContextOf, type ServiceRequest } from './request.ts';
import { readUpload } from './upload.ts';

export interface Input extends CallInput {
  /** What is ignored, as entries of `svc-emulator-warnings`: fields that the operation does not know, mistyped directives. */
  ignored: string[];
}

const NONE: string[] = [];

/** The query or body of a control operation that has none. */
const NO_FIELDS = z.object({});

/** What reading a body needs. */
export type ReaderParts = Pick<Context, 'config' | 'files'> & { buffers: BodyBufferPool };

/** Reads and validates what an operation takes. */
export class OperationReader {
  readonly #operation: Operation;
  readonly #parts: ReaderParts;
  readonly #query: InputReader | undefined;
  readonly #body: InputReader | undefined;
  readonly #parsing: Parsing;
  readonly #isStrict: boolean;

  constructor(operation: Operation, parts: ReaderParts) {
    this.#operation = operation;
    this.#parts = parts;
    this.#parsing = { skimmed: operation.skimmed ?? NONE };
    // A control call with a misspelt filter would act on all accounts: unknown fields are refused there [I233].
    this.#isStrict = operation.access === 'local';
    const taken = (schema: z.ZodType | undefined) => schema ?? (this.#isStrict ? NO_FIELDS : undefined);
    const [query, body] = [taken(operation.query), taken(operation.body)];
    this.#query = query && new InputReader(query);
    this.#body = body && new InputReader(body);
  }

  async read(request: ServiceRequest, response: ServerResponse): Promise<Input> {
    const { upload, body, bodyLimit, stream } = this.#operation;
    const { buffers } = this.#parts;
    if (stream) requireType(request, stream);
    if (upload) return this.#readForm(request, response, upload);
    if (!body) return this.#validate(request, this.#isStrict && !stream ? await readNothing(request) : {});
    const bytes = await readBody(request, { limit: bodyLimit, buffers });
    const requestContext = requestContextOf(response);
    requestContext.body = bytes;
    if (bytes.length <= LARGE) return this.#validate(request, parseJson(bytes));
    const parsed = await parseLarge(bytes, this.#parsing);
    requestContext.giveBack = () => buffers.giveBack(bytes);
    return this.#validate(request, parsed);
  }

  /** A form whose text fields are refused leaves no file. */
  async #readForm(request: ServiceRequest, response: ServerResponse, field: string): Promise<Input> {
    const { fields, file } = await readUpload(request, response, { field, files: this.#parts.files });
    const { facts } = requestContextOf(response);
    facts.bytes = file.bytes;
    facts.form = hash('sha1', JSON.stringify([file.sha256, fields]), 'base64');
    try {
      return { ...this.#validate(request, fields), file };
    } catch (error) {
      await file.discard();
      throw error;
    }
  }

  #validate(request: ServiceRequest, given: unknown): Input {
    if (this.#isStrict) {
      const query = this.#query?.readKnown(this.#named(request.query));
      return { query, body: this.#body?.readKnown(given), file: undefined, ignored: NONE };
    }
    const query = this.#query?.read(request.query);
    const body = this.#body?.read(given);
    const unknown = this.#unknown(request, given);
    if (unknown.length > 0 && this.#parts.config.strict) {
      refuseUnknown(unknown, this.#operation.harmless?.(given as Record<string, unknown>) ?? []);
    }
    return { query, body, file: undefined, ignored: [...unknown, ...this.#mistyped(body)] };
  }

  /** Directives stand in the texts of paid operations alone. */
  #mistyped(body: unknown): string[] {
    if (!this.#operation.paid) return NONE;
    const [first, ...others] = mistypedIn(body);
    if (!first) return NONE;
    if (this.#parts.config.strict) throw mistypedError(first);
    return [first, ...others].map(mistypedWarning);
  }

  #unknown(request: ServiceRequest, given: unknown): string[] {
    const ofBody = this.#body?.unknown(given) ?? NONE;
    return this.#query ? [...this.#query.unknown(request.query), ...ofBody] : ofBody;
  }

  /** A query with aliases replaced by the names of its schema; where it has both, the alias stays and is refused. */
  #named(query: ServiceRequest['query']): ServiceRequest['query'] {
    const { alias } = this.#operation;
    if (!alias || Object.hasOwn(query, alias.field) || !Object.hasOwn(query, alias.name)) return query;
    const { [alias.name]: value, ...others } = query;
    return { ...others, [alias.field]: value };
  }
}

/** Beyond this many bytes a body is parsed in several turns of the event loop. */
const LARGE = 131_072;

/** Throws `invalid_request` (param null) for what is not JSON in UTF-8. */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw notUtf8();
  try {
    if (bytes.length > DEEPEST) requireBounded(bytes);
    return JSON.parse(bytes.toString());
  } catch (error) {
    return notJson(error);
  }
}

/** The same for a large body, without blocking the event loop. */
async function parseLarge(bytes: Buffer, parsing: Parsing): Promise<unknown> {
  const value = await parseLargeJson(bytes, parsing).catch(notJson);
  if (value === undefined) throw notUtf8();
  return value;
}

function notUtf8(): EmulatorError {
  return invalid(null, 'The body is not valid UTF-8; encode the JSON as UTF-8.', 'C020');
}

/** More bytes than an empty object needs. */
const MOST_OF_NOTHING = 65_536;

/** Reads the body of an operation that takes none: usually it is empty. */
async function readNothing(request: IncomingMessage): Promise<unknown> {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
  if (length === '0' && encoding === undefined) return {};
  const bytes = await readBytes(request, MOST_OF_NOTHING);
  return bytes.length === 0 ? {} : parseJson(bytes);
}

/** How long memory is kept for the next body, in milliseconds of real time. */
const KEPT = 10_000;

/**
 * Memory for large bodies, reused one after another: allocating many megabytes for each makes V8 stop for a full garbage
 * collection.
 */
export class BodyBufferPool {
  readonly #clock: Clock;
  #spare: Buffer | undefined;
  #timer: Cancel | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** At least `length` bytes, whatever they hold; undefined where none lie ready. */
  take(length: number): Buffer | undefined {
    const spare = this.#spare;
    if (!spare || spare.length < length) return undefined;
    this.#forget();
    return spare;
  }

  /** Takes back the memory of a body that is not used any more. */
  giveBack(body: Buffer): void {
    const whole = Buffer.from(body.buffer);
    if (this.#spare && this.#spare.length >= whole.length) return;
    this.#forget();
    this.#spare = whole;
    const forget = () => this.#forget();
    this.#timer = this.#clock.after(KEPT, forget, forget);
  }

  #forget(): void {
    this.#timer?.();
    this.#timer = undefined;
    this.#spare = undefined;
  }
}

/** So many bytes of a body have come before memory is taken for the rest of it. */
const IN_PIECES = 1_048_576;

/** Reads at most `limit` bytes, large bodies into memory from `buffers`; what comes after them is not kept. */
export function readBytes(request: IncomingMessage, limit: number, buffers?: BodyBufferPool): Promise<Buffer> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > limit) return Promise.reject(tooLarge(limit));
  const body = new GrowingBody(Math.min(declared || limit, limit), buffers);
  return new Promise((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      if (body.length + chunk.length > limit) reject(tooLarge(limit));
      else body.add(chunk);
    });
    request.on('end', () => resolve(body.bytes()));
    const cutOff = () => reject(invalid(null, 'The body ended before it was whole; send all of it.', 'C020'));
    request.on('error', (error) => (error instanceof EmulatorError ? reject(error) : cutOff()));
    request.on('close', () => {
      if (!request.complete) cutOff();
    });
  });
}

/** A body as it arrives. Later pieces of a large one are copied at once, so that no turn of the event loop copies all of it. */
class GrowingBody {
  length = 0;
  readonly #most: number;
  readonly #buffers: BodyBufferPool | undefined;
  #chunks: Buffer[] = [];
  #whole: Buffer | undefined;

  constructor(most: number, buffers: BodyBufferPool | undefined) {
    this.#most = most;
    this.#buffers = buffers;
  }

  add(chunk: Buffer): void {
    const end = this.length + chunk.length;
    if (end > IN_PIECES) this.#copy(chunk, end);
    else this.#chunks.push(chunk);
    this.length = end;
  }

  bytes(): Buffer {
    if (this.#whole) return this.#whole.subarray(0, this.length);
    const [only] = this.#chunks;
    return this.#chunks.length === 1 && only ? only : Buffer.concat(this.#chunks);
  }

  #copy(chunk: Buffer, end: number): void {
    if (!this.#whole || this.#whole.length < end) this.#grow(end);
    chunk.copy(this.#whole as Buffer, this.length);
  }

  /** To at most eight times what has come, so that little is copied again; one that others are done with may be larger. */
  #grow(end: number): void {
    const before = this.#whole ?? Buffer.concat(this.#chunks);
    const spare = this.#whole ? undefined : this.#buffers?.take(this.#most);
    this.#whole = spare ?? Buffer.allocUnsafeSlow(Math.max(end, Math.min(8 * end, this.#most)));
    before.copy(this.#whole, 0, 0, this.length);
    this.#chunks = [];
  }
}

function tooLarge(limit: number): EmulatorError {
  return new EmulatorError(
    'payload_too_large',
    `The body is over ${limit / 1_048_576} MiB, the most this operation takes; send a smaller one.`,
    { headers: { connection: 'close' } },
  );
}

/** 32 MiB: the largest JSON body. */
const JSON_LIMIT = 32 * 1_048_576;

/** Reads a JSON body whole. Throws `unsupported_media_type` for another content type, `payload_too_large` beyond `limit`. */
export function readBody(
  request: IncomingMessage,
  { limit = JSON_LIMIT, buffers }: { limit?: number | undefined; buffers: BodyBufferPool },
): Promise<Buffer> {
  requireJson(request);
  return readBytes(request, limit, buffers);
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
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    throw new EmulatorError(
      'unsupported_media_type',
      `The body is encoded as "${encoding.slice(0, 40)}"; send it uncompressed, without Content-Encoding.`,
    );
  }
}

/** Throws `unsupported_media_type` for a body of another type. */
function requireType(request: IncomingMessage, wanted: string): void {
  const [type = ''] = (request.headers['content-type'] ?? '').split(';');
  if (type.trim().toLowerCase() === wanted) return;
  throw new EmulatorError(
    'unsupported_media_type',
    `The body must be ${wanted}, and its content type is ${quoted(type)}. Send the header Content-Type: ${wanted}.`,
  );
}
