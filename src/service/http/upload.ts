import { createHash } from 'node:crypto';
import { createWriteStream, type WriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import type { MulterError, StorageEngine } from 'multer';
import { EmulatorError, invalidRequestError, quoted, translateDiskError } from '../../base/errors.ts';
import { requireUncompressed } from './body.ts';

/** The largest file, in bytes [R176 I014]. */
const FILE_LIMIT = 100 * 1_048_576;

const FORM_ROOM = 1_048_576;
const HEADS_ROOM = 4 * FORM_ROOM;
const TEXT_LIMITS = { fields: 32, fieldSize: 65_536, fieldNameSize: 100, parts: 40 };
const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,63}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,63}$/;
const CHARSET = /^content-type:.*;[ \t]*charset="?([\w.:+-]{1,40})"?[ \t]*(?:;|\r?$)/im;

interface UploadOptions {
  field: string;
  files: { scratchPath(): string };
  fileBytes?: number;
}

interface ReadForm {
  file: Upload;
  fields: Record<string, unknown>;
}

/**
 * Throws `unsupported_media_type`, `payload_too_large`, `storage_full`, or `invalid_request` for a broken or incomplete form, and then
 * leaves no file.
 */
export async function readUploadForm(
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
  // The parser stores its result on the request. It needs nothing that Express adds to a request.
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
    if (!form.file || !engine.scratch) throw noFile(terms);
    return { file: asUpload(form.file, engine.scratch, engine.charset), fields: { ...form.body } };
  } catch (error) {
    await engine.scratch?.discard();
    throw asUploadError(error, terms);
  }
}

class ScratchEngine implements StorageEngine {
  readonly heads: PartHeads;
  scratch: ScratchFile | undefined;
  charset: string | undefined;
  readonly #path: string;

  constructor(path: string, boundary: string) {
    this.#path = path;
    this.heads = new PartHeads(boundary);
  }

  _handleFile(...[, file, done]: Parameters<StorageEngine['_handleFile']>): void {
    const scratch = new ScratchFile(this.#path);
    this.scratch = scratch;
    this.charset = this.heads.charsetOfFile();
    scratch.write(file.stream).then(
      () => done(null, { path: scratch.path, size: scratch.bytes }),
      (error: unknown) => done(translateDiskError(error)),
    );
  }

  /** Does nothing, because `readUploadForm` removes the file once nothing writes to it. */
  _removeFile(...[, , done]: Parameters<StorageEngine['_removeFile']>): void {
    done(null);
  }
}

/** Keeps the bytes before the file. They contain the charset of the file's type, which the parser drops. */
class PartHeads {
  readonly #boundary: string;
  #chunks: Buffer[] = [];
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

function asUpload(file: Express.Multer.File, scratch: ScratchFile, charset: string | undefined): Upload {
  const type = file.mimetype.toLowerCase();
  const typed = charset === undefined ? type : `${type}; charset=${charset}`;
  return {
    scratchPath: scratch.path,
    sha256: scratch.sha256(),
    bytes: scratch.bytes,
    contentType: MEDIA_TYPE.test(type) ? typed : 'application/octet-stream',
    originalName: file.originalname,
    discard: () => scratch.discard(),
  };
}

export interface Upload {
  scratchPath: string;
  sha256: string;
  bytes: number;
  /** The type in lower case, with its charset and no other parameter; `application/octet-stream` if it is invalid. */
  contentType: string;
  originalName: string;
  /** Has no effect after the file was moved. */
  discard(): Promise<void>;
}

const BUFFER = 1_048_576;

class ScratchFile {
  readonly path: string;
  bytes = 0;
  readonly #hash = createHash('sha256');
  readonly #sink: WriteStream;

  constructor(path: string) {
    this.path = path;
    this.#sink = createWriteStream(path, { flags: 'wx', highWaterMark: BUFFER });
  }

  sha256(): string {
    return this.#hash.digest('hex');
  }

  async write(stream: Readable): Promise<void> {
    stream.on('data', (chunk: Buffer) => {
      this.#hash.update(chunk);
      this.bytes += chunk.length;
    });
    await pipeline(stream, this.#sink);
  }

  async discard(): Promise<void> {
    if (!this.#sink.closed) {
      const closed = new Promise<void>((resolve) => this.#sink.once('close', resolve));
      this.#sink.destroy();
      await closed;
    }
    await rm(this.path, { force: true });
  }
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
    return invalidRequestError(
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
  return invalidRequestError(
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

/** The error is compared by name, because its class is loaded only with the parser. */
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
        return invalidRequestError(field, `Only one file may be sent. Send it in the field "${terms.field}".`);
      }
      return invalidRequestError(field, `Unknown field ${name}; send the file as "${terms.field}".`);
    case 'LIMIT_FIELD_VALUE':
      return invalidRequestError(field, `${name} is over 64 KiB, the limit of a text field. Shorten it.`);
    default:
      return invalidRequestError(
        field,
        `The multipart form has a field that cannot be read: ${error.message}. Send at most 32 text fields, with plain names of at most 100 characters.`,
      );
  }
}
