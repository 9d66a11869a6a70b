import type { IncomingMessage } from 'node:http';
import type { Cancel, Clock } from '../clock/clock.ts';
import { EmulatorError, invalid } from '../errors.ts';

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
const BEGUN = 1_048_576;

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
    const cutOff = () => reject(invalid(null, 'The body ended before it was whole; send all of it.'));
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
    if (end > BEGUN) this.#copy(chunk, end);
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
export const JSON_LIMIT = 32 * 1_048_576;

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
    const got = type ? `"${type.slice(0, 80)}"` : 'none';
    throw new EmulatorError(
      'unsupported_media_type',
      `The body must be JSON, and its content type is ${got}. Send the header Content-Type: application/json.`,
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
export function requireType(request: IncomingMessage, wanted: string): void {
  const [type = ''] = (request.headers['content-type'] ?? '').split(';');
  if (type.trim().toLowerCase() === wanted) return;
  throw new EmulatorError(
    'unsupported_media_type',
    `The body must be ${wanted}, and its content type is ${JSON.stringify(type.slice(0, 80))}. Send the header Content-Type: ${wanted}.`,
  );
}
