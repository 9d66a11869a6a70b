import { hash } from 'node:crypto';
import type { Database } from '../../base/database/database.ts';
import { EmulatorError, invalid, quoted } from '../../base/errors.ts';
import type { ReferencePicture } from '../../media/render-request.ts';
import { parseCdnPath } from './cdn-path.ts';
import { decodeDataUrl, type GivenKind } from './data-url.ts';
import type { FilePins, Files } from './files.ts';
import { putBytes } from './put-bytes.ts';

export interface ReferencesParts {
  db: Database;
  files: Files;
  /** Whether a URL leads to this emulator; its path shows whether to its CDN. */
  isOwnUrl: (url: URL) => boolean;
  /** The bytes behind such a URL; throws `not_found`, `invalid_signature` or `url_expired`. */
  readOwn: (url: URL) => Promise<Buffer>;
  /** Checks a picture's structure and answers its media type; throws `invalid_request` for a broken one. */
  probePicture: (bytes: Buffer) => { contentType: string };
  /** The same for a sound file. */
  probeVoice: (bytes: Buffer) => { contentType: string };
}

/** Which field gives it, and who keeps its file until something refers to it. */
export interface ReferenceContext {
  param: string;
  pins: FilePins;
  /** What is given: a picture by default. */
  kind?: Exclude<GivenKind, 'media'>;
}

/** Pictures, and samples of voices, that a caller gives by URL; nothing is ever fetched. */
export class References {
  readonly #parts: ReferencesParts;

  constructor(parts: ReferencesParts) {
    this.#parts = parts;
  }

  /**
   * Data URLs and the emulator's own URLs become files; a picture drawn from its hash replaces any other URL.
   * Throws `invalid_request` that names the field, `storage_full` when the picture cannot be kept.
   */
  async read(text: string, context: ReferenceContext): Promise<ReferencePicture> {
    const { param, kind = 'picture' } = context;
    if (/^data:/i.test(text)) return this.#keep(decodeDataUrl(text, kind, param), context);
    if (!/^https?:/i.test(text) || !URL.canParse(text)) throw noUrl(text, context);
    const url = new URL(text);
    const own = this.#parts.isOwnUrl(url) && parseCdnPath(url.pathname) !== undefined;
    if (!own) return { standIn: hash('sha256', text, 'hex') };
    return this.#keep(await this.#own(url, context), context);
  }

  async #own(url: URL, context: ReferenceContext): Promise<Buffer> {
    try {
      return await this.#parts.readOwn(url);
    } catch (error) {
      throw naming(context, error);
    }
  }

  async #keep(bytes: Buffer, context: ReferenceContext): Promise<ReferencePicture> {
    const contentType = this.#contentType(bytes, context);
    const { pins } = context;
    const { db, files } = this.#parts;
    const sha256 = hash('sha256', bytes, 'hex');
    const picture = { sha256, path: files.path(sha256) };
    if (pins.find(sha256)) return picture;
    await putBytes(files, pins, { bytes, sha256 });
    await db.transact((tx) => files.keep(tx, { name: sha256, origin: 'upload', bytes: bytes.length, contentType }));
    return picture;
  }

  #contentType(bytes: Buffer, context: ReferenceContext): string {
    const { probePicture, probeVoice } = this.#parts;
    try {
      return (context.kind === 'voice' ? probeVoice(bytes) : probePicture(bytes)).contentType;
    } catch (error) {
      throw naming(context, error);
    }
  }
}

const CALLED = { picture: 'picture', voice: 'sound file' };

/** A fault of what the caller gave names the caller's field. */
function naming({ param, kind = 'picture' }: ReferenceContext, error: unknown): unknown {
  if (!(error instanceof EmulatorError) || error.code === 'storage_full') return error;
  if (error.code === 'internal_error' || error.code === 'render_failed') return error;
  const called = CALLED[kind];
  return invalid(param, `"${param}" gives no ${called} that can be read. ${error.message}`);
}

function noUrl(text: string, { param, kind = 'picture' }: ReferenceContext): EmulatorError {
  return invalid(param, `"${param}" must be a data URL or an http(s) URL of a ${CALLED[kind]}, got ${quoted(text)}.`);
}
