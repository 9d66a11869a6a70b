import type { ServerResponse } from 'node:http';
import type { Request, Response } from 'express';
import type { StorageEngine } from 'multer';
import type { ServiceRequest } from './request.ts';
import type { UploadTerms } from './upload-error.ts';
import { type Upload, UploadSink } from './upload-sink.ts';

/** The largest file that may be sent: 100 MiB [R176 I014]. */
export const FILE_LIMIT = 100 * 1_048_576;

/** What a form may have beside its file: headers, boundaries and text fields. */
const FORM_ROOM = 1_048_576;
const TEXT_LIMITS = { fields: 32, fieldSize: 65_536, fieldNameSize: 100, parts: 40 };
const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,63}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,63}$/;

export interface UploadOptions {
  /** The form's field that carries the file. */
  field: string;
  files: { orderedPath(): string };
  /** The largest file in bytes; 100 MiB unless given. */
  fileBytes?: number;
}

export interface ReadForm {
  file: Upload;
  /** Text fields; one that comes twice is an array. */
  fields: Record<string, unknown>;
}

/**
 * Reads a multipart form, writing its file to the disk as it comes. Throws `unsupported_media_type` for another body,
 * `payload_too_large`, `storage_full`, and `invalid_request` for a form that is broken, cut off or lacks the file;
 * then nothing is left on the disk.
 */
export async function readUpload(
  request: ServiceRequest,
  response: ServerResponse,
  options: UploadOptions,
): Promise<ReadForm> {
  const terms: UploadTerms = { field: options.field, fileBytes: options.fileBytes ?? FILE_LIMIT };
  // Both are loaded with the first upload: most runs have none, and their start must be fast.
  const [{ default: multer }, errors] = await Promise.all([import('multer'), import('./upload-error.ts')]);
  const type = request.headers['content-type'];
  if (!type || !/^multipart\/form-data\s*(?:;|$)/i.test(type)) throw errors.wrongType(type);
  if (Number(request.headers['content-length'] ?? 0) > terms.fileBytes + FORM_ROOM) {
    throw errors.tooLarge(terms);
  }

  // The parser uses nothing that the framework adds, and stores its result on the request.
  const form = request as Request;
  const engine = new ScratchEngine(options.files.orderedPath());
  const parser = multer({
    storage: engine,
    limits: { ...TEXT_LIMITS, files: 1, fileSize: terms.fileBytes },
    defParamCharset: 'utf8',
  }).single(options.field);
  try {
    await new Promise<void>((resolve, reject) => {
      parser(form, response as Response, (error: unknown) => (error ? reject(error) : resolve()));
    });
    if (!form.file || !engine.sink) throw errors.noFile(terms);
    return { file: asUpload(form.file, engine.sink), fields: { ...form.body } };
  } catch (error) {
    await engine.sink?.discard();
    throw errors.asUploadError(error, terms);
  }
}

/** Writes the one file of a form to the scratch folder. */
class ScratchEngine implements StorageEngine {
  sink: UploadSink | undefined;
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  _handleFile(...[, file, done]: Parameters<StorageEngine['_handleFile']>): void {
    const sink = new UploadSink(this.#path);
    this.sink = sink;
    file.stream.on('error', (error) => sink.destroy(error));
    sink.on('error', () => undefined);
    sink.on('close', () => done(sink.errored, { path: sink.path, size: sink.bytes }));
    file.stream.pipe(sink);
  }

  /** `readUpload` removes the file, once nothing writes to it any more. */
  _removeFile(...[, , done]: Parameters<StorageEngine['_removeFile']>): void {
    done(null);
  }
}

function asUpload(file: Express.Multer.File, sink: UploadSink): Upload {
  const type = file.mimetype.toLowerCase();
  return {
    scratchPath: sink.path,
    sha256: sink.sha256(),
    bytes: sink.bytes,
    contentType: MEDIA_TYPE.test(type) ? type : 'application/octet-stream',
    originalName: file.originalname,
    head: sink.head,
    discard: () => sink.discard(),
  };
}
