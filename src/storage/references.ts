import { hash } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import type { Database } from '../database/database.ts';
import { EmulatorError, invalid } from '../errors.ts';
import type { ReferencePicture } from '../render/render-request.ts';
import { parseCdnPath } from './cdn-path.ts';
import { decodeImageUrl } from './data-url.ts';
import { asDiskError } from './disk-error.ts';
import type { Files, Hold } from './files.ts';

export interface ReferencesParts {
  db: Database;
  files: Files;
  /** Whether a URL leads to this emulator; whether to its CDN, its path tells. */
  isOwnUrl: (url: URL) => boolean;
  /** The bytes behind such a URL; throws `not_found`, `invalid_signature` or `url_expired`. */
  readOwn: (url: URL) => Promise<Buffer>;
  /** Checks a picture's structure and answers its media type; throws `invalid_request` for a broken one. */
  probePicture: (bytes: Buffer) => { contentType: string };
}

/** Which field gives the picture, and who keeps its file until something refers to it. */
export interface ReferenceContext {
  param: string;
  hold: Hold;
}

/** Pictures that a caller gives by URL; nothing is ever fetched. */
export class References {
  readonly #parts: ReferencesParts;

  constructor(parts: ReferencesParts) {
    this.#parts = parts;
  }

  /**
   * Data URLs and the emulator's own URLs become files; a picture drawn from its hash stands in for any other URL.
   * Throws `invalid_request` that names the field, `storage_full` when the picture cannot be kept.
   */
  async read(text: string, context: ReferenceContext): Promise<ReferencePicture> {
    const { param } = context;
    if (/^data:/i.test(text)) return this.#keep(decodeImageUrl(text, param), context);
    if (!/^https?:/i.test(text) || !URL.canParse(text)) throw noUrl(text, param);
    const url = new URL(text);
    const own = this.#parts.isOwnUrl(url) && parseCdnPath(url.pathname) !== undefined;
    if (!own) return { standIn: hash('sha256', text, 'hex') };
    return this.#keep(await this.#own(url, param), context);
  }

  async #own(url: URL, param: string): Promise<Buffer> {
    try {
      return await this.#parts.readOwn(url);
    } catch (error) {
      throw naming(param, error);
    }
  }

  async #keep(bytes: Buffer, { param, hold }: ReferenceContext): Promise<ReferencePicture> {
    const contentType = this.#contentType(bytes, param);
    const { db, files } = this.#parts;
    const sha256 = hash('sha256', bytes, 'hex');
    const picture = { sha256, path: files.path(sha256) };
    if (await hold.find(sha256)) return picture;
    const scratch = files.scratchPath();
    await write(scratch, bytes);
    await hold.place(scratch, sha256);
    await db.transact((tx) =>
      files.keep(tx, { name: sha256, origin: 'upload', bytes: bytes.length, contentType }),
    );
    return picture;
  }

  #contentType(bytes: Buffer, param: string): string {
    try {
      return this.#parts.probePicture(bytes).contentType;
    } catch (error) {
      throw naming(param, error);
    }
  }
}

async function write(file: string, bytes: Buffer): Promise<void> {
  try {
    await writeFile(file, bytes);
  } catch (error) {
    await rm(file, { force: true });
    throw asDiskError(error);
  }
}

/** A fault of the caller's picture names the caller's field. */
function naming(param: string, error: unknown): unknown {
  if (!(error instanceof EmulatorError) || error.code === 'storage_full') return error;
  if (error.code === 'internal_error' || error.code === 'render_failed') return error;
  return invalid(param, `"${param}" gives no picture that can be read. ${error.message}`);
}

function noUrl(text: string, param: string): EmulatorError {
  return invalid(
    param,
    `"${param}" must be a data URL or an http(s) URL of a picture, got ${JSON.stringify(text.slice(0, 80))}.`,
  );
}
