import { createHash } from 'node:crypto';
import { close, open, writev } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import type { Request, Response } from 'express';
import type { MulterError, StorageEngine } from 'multer';
import { asStorageFull, EmulatorError, invalid, quoted } from '../../base/errors.ts';
import { requireUncompressed } from './body.ts';

/** The largest file: 100 MiB [R176 I014]. */
const FILE_LIMIT = 100 * 1_048_576;

/** The bytes of a form for headers, boundaries and text fields. */
const FORM_ROOM = 1_048_576;
/** The limit of everything before the file, in bytes. Text fields cannot reach it. */
const HEADS_ROOM = 4 * FORM_ROOM;
const TEXT_LIMITS = { fields: 32, fieldSize: 65_536, fieldNameSize: 100, parts: 40 };
const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,63}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,63}$/;
const CHARSET = /^content-type:.*;[ \t]*charset="?([\w.:+-]{1,40})"?[ \t]*(?:;|\r?$)/im;

interface UploadOptions {
  field: string;
  files: { scratchPath(): string };
  /** The largest file in bytes; 100 MiB by default. */
  fileBytes?: number;
}

interface ReadForm {
  file: Upload;
  /** The text fields. One that occurs twice is an array. */
  fields: Record<string, unknown>;
}

/**
 * Reads a form and writes its file to the disk as it arrives. Throws `unsupported_media_type`, `payload_too_large`,
 * `storage_full`, or `invalid_request` for a broken or incomplete form, and then leaves no file.
 */
export async function readUpload(
  request: IncomingMessage,
  response: ServerResponse,
  options: UploadOptions,
): Promise<ReadForm> {
  const terms: UploadTerms = { field: options.field, fileBytes: options.fileBytes ?? FILE_LIMIT };
  const type = request.headers['content-type'];
  if (!type || !/^multipart\/form-data\s*(?:;|$)/i.test(type)) throw wrongType(type);
  requireUncompressed(request);
  if (Number(request.headers['content-length'] ?? 0) > terms.fileBytes + FORM_ROOM) {
    throw tooLarge(terms);
  }

  // Loaded with the first upload, because it would slow down every start.
  const { default: multer } = await import('multer');
  // As a plain request: the parser uses nothing that Express adds, and stores its result on it.
  const form = request as Request;
  const engine = new ScratchEngine(options.files.scratchPath(), boundaryOf(type));
  const parser = multer({
    storage: engine,
    limits: { ...TEXT_LIMITS, files: 1, fileSize: terms.fileBytes },
    defParamCharset: 'utf8',
  }).single(options.field);
  request.on('data', (chunk: Buffer) => engine.heads.push(chunk));
  try {
    await new Promise<void>((resolve, reject) => {
      parser(form, response as Response, (error: unknown) => (error ? reject(error) : resolve()));
    });
    if (!form.file || !engine.sink) throw noFile(terms);
    return { file: asUpload(form.file, engine.sink, engine.charset), fields: { ...form.body } };
  } catch (error) {
    await engine.sink?.discard();
    throw asUploadError(error, terms);
  }
}

class ScratchEngine implements StorageEngine {
  readonly heads: PartHeads;
  sink: UploadSink | undefined;
  charset: string | undefined;
  readonly #path: string;

  constructor(path: string, boundary: string) {
    this.#path = path;
    this.heads = new PartHeads(boundary);
  }

  _handleFile(...[, file, done]: Parameters<StorageEngine['_handleFile']>): void {
    const sink = new UploadSink(this.#path);
    this.sink = sink;
    this.charset = this.heads.charsetOfFile();
    file.stream.on('error', (error) => sink.destroy(error));
    sink.on('error', () => undefined);
    sink.on('close', () => done(sink.errored, { path: sink.path, size: sink.bytes }));
    file.stream.pipe(sink);
  }

  /** Does nothing, because `readUpload` removes the file once nothing writes to it. */
  _removeFile(...[, , done]: Parameters<StorageEngine['_removeFile']>): void {
    done(null);
  }
}

/** Keeps the bytes before the file, to read the charset of its type from them, because the parser drops it. */
class PartHeads {
  readonly #boundary: string;
  #chunks: Buffer[] = [];
  /** The bytes that may still be kept. */
  #room = HEADS_ROOM;

  constructor(boundary: string) {
    this.#boundary = boundary;
  }

  push(chunk: Buffer): void {
    this.#room -= chunk.length;
    if (this.#room >= 0) this.#chunks.push(chunk);
  }

  charsetOfFile(): string | undefined {
    const form = `\r\n${Buffer.concat(this.#chunks).toString('latin1')}`;
    this.#chunks = [];
    this.#room = 0;
    const heads = form.split(`\r\n--${this.#boundary}\r\n`).map((part) => part.split('\r\n\r\n', 1)[0] ?? '');
    const head = heads.find((each) => /^content-disposition:.*;\s*filename\*?=/im.test(each)) ?? '';
    return CHARSET.exec(head)?.[1];
  }
}

function boundaryOf(type: string): string {
  const [, quotedOne, plain = ''] = /;\s*boundary=(?:"([^"]*)"|([^;\s]*))/i.exec(type) ?? [];
  return quotedOne ?? plain;
}

function asUpload(file: Express.Multer.File, sink: UploadSink, charset: string | undefined): Upload {
  const type = file.mimetype.toLowerCase();
  const typed = charset === undefined ? type : `${type}; charset=${charset}`;
  return {
    scratchPath: sink.path,
    sha256: sink.sha256(),
    bytes: sink.bytes,
    contentType: MEDIA_TYPE.test(type) ? typed : 'application/octet-stream',
    originalName: file.originalname,
    discard: () => sink.discard(),
  };
}

export interface Upload {
  scratchPath: string;
  sha256: string;
  bytes: number;
  /** The type as it was sent, with its charset and no other parameter; `application/octet-stream` if it is invalid. */
  contentType: string;
  originalName: string;
  /** Removes the file. Has no effect after it was moved. */
  discard(): Promise<void>;
}

/** How many bytes may wait for the disk before the sender has to wait. */
const BUFFER = 1_048_576;

type Done = (error?: Error | null) => void;

/** Hashes while writing, so that the bytes are never read again. */
class UploadSink extends Writable {
  readonly path: string;
  bytes = 0;
  readonly #hash = createHash('sha256');
  #fd = -1;

  constructor(path: string) {
    super({ highWaterMark: BUFFER });
    this.path = path;
  }

  sha256(): string {
    return this.#hash.digest('hex');
  }

  async discard(): Promise<void> {
    if (!this.closed) {
      const closed = new Promise((resolve) => this.once('close', resolve));
      this.on('error', () => undefined);
      this.destroy();
      await closed;
    }
    await rm(this.path, { force: true });
  }

  override _construct(done: Done): void {
    open(this.path, 'wx', (error, fd) => {
      this.#fd = error ? -1 : fd;
      done(asError(error));
    });
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Done): void {
    this.#take([chunk], done);
  }

  /** Writes all chunks that arrived while the disk was busy in one call. */
  override _writev(chunks: { chunk: Buffer }[], done: Done): void {
    this.#take(
      chunks.map(({ chunk }) => chunk),
      done,
    );
  }

  override _destroy(error: Error | null, done: Done): void {
    if (this.#fd === -1) done(error);
    else close(this.#fd, (failure) => done(error ?? asError(failure)));
  }

  #take(chunks: Buffer[], done: Done): void {
    this.#write(chunks, done);
    // Hashes the bytes while the disk writes them.
    for (const chunk of chunks) {
      this.#hash.update(chunk);
      this.bytes += chunk.length;
    }
  }

  #write(chunks: Buffer[], done: Done): void {
    writev(this.#fd, chunks, (error, written) => {
      const rest = error ? [] : unwritten(chunks, written);
      if (error || rest.length === 0) done(asError(error));
      else this.#write(rest, done);
    });
  }
}

/** The bytes that are left to write, because an almost full disk may write only some. */
function unwritten(chunks: Buffer[], written: number): Buffer[] {
  const [first, ...others] = chunks;
  if (!first) return [];
  if (written < first.length) return [first.subarray(written), ...others];
  return unwritten(others, written - first.length);
}

function asError(error: Error | null): Error | null {
  return error && (asStorageFull(error) as Error);
}

interface UploadTerms {
  field: string;
  fileBytes: number;
}

const BROKEN = /^(?:Multipart:|Malformed|Missing Content-Type|Unexpected end|Request (?:aborted|closed))/;

function asUploadError(error: unknown, terms: UploadTerms): unknown {
  if (isLimitError(error)) return limitError(error, terms);
  const { message } = Object(error) as { message?: unknown };
  if (typeof message === 'string' && !(error instanceof EmulatorError) && BROKEN.test(message)) {
    return invalid(
      null,
      `The multipart body is broken (${message}). Send it whole, let the HTTP client write the boundary into the Content-Type header, and end the body with it.`,
      'C020',
    );
  }
  return error;
}

function tooLarge({ field, fileBytes }: UploadTerms): EmulatorError {
  return new EmulatorError(
    'payload_too_large',
    `${field} is over ${fileBytes / 1048576} MiB, the limit of a file. Send a smaller one.`,
    { param: field },
  );
}

function noFile({ field }: UploadTerms): EmulatorError {
  return invalid(
    field,
    `${field} is missing: it must be a file part with a file name, as curl sends it with -F ${field}=@name.`,
  );
}

function wrongType(type: string | undefined): EmulatorError {
  const got = type ? quoted(type) : 'none';
  return new EmulatorError(
    'unsupported_media_type',
    `The body must be a multipart form, and its content type is ${got}. Send the header Content-Type: multipart/form-data; boundary=…, which HTTP clients write by themselves when they are given a form.`,
  );
}

/** Compared by name, because the class is loaded only with the parser. */
function isLimitError(error: unknown): error is MulterError {
  return error instanceof Error && error.name === 'MulterError';
}

function limitError(error: MulterError, terms: UploadTerms): EmulatorError {
  const field = error.field ?? null;
  const name = field === null ? 'A field' : quoted(field);
  switch (error.code) {
    case 'LIMIT_FILE_SIZE':
      return tooLarge(terms);
    case 'LIMIT_UNEXPECTED_FILE':
    case 'LIMIT_FILE_COUNT':
      if (field === null || field === terms.field) {
        return invalid(field, `Only one file may be sent. Send it in the field "${terms.field}".`);
      }
      return invalid(field, `Unknown field ${name}; send the file as "${terms.field}".`);
    case 'LIMIT_FIELD_VALUE':
      return invalid(field, `${name} is over 64 KiB, the limit of a text field. Shorten it.`);
    default:
      return invalid(
        field,
        `The multipart form has a field that cannot be read: ${error.message}. Send at most 32 text fields, with plain names of at most 100 characters.`,
      );
  }
}
