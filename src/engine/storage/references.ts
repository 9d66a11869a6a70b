import { hash } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import type { Database } from '../../base/database/database.ts';
import { EmulatorError, invalidRequestError, quoted, translateDiskError } from '../../base/errors.ts';
import { countWithNoun } from '../../base/text.ts';
import type { ReferencePicture } from '../../media/render-request.ts';
import { parseCdnPath } from './cdn-url.ts';
import type { FilePins, Files } from './files.ts';

interface ReferencesParts {
  db: Database;
  files: Files;
  isOwnUrl: (url: URL) => boolean;
  /** Throws `not_found`, `invalid_signature`, `url_expired`, or the error of a render if the file is rendered again. */
  readOwn: (url: URL) => Promise<Buffer>;
  /** Throws `invalid_request` for a broken picture. */
  probePicture: (bytes: Buffer) => { contentType: string };
  probeVoice: (bytes: Buffer) => { contentType: string };
}

interface ReferenceContext {
  param: string;
  pins: FilePins;
  kind?: Exclude<GivenKind, 'media'>;
}

/** Reads pictures and voice samples that are given by URL. No URL is ever fetched. */
export class ReferenceMediaReader {
  readonly #parts: ReferencesParts;

  constructor(parts: ReferencesParts) {
    this.#parts = parts;
  }

  /**
   * Data URLs and CDN URLs of the emulator become files. Any other http(s) URL becomes its hash.
   * Throws `invalid_request` with the field, `storage_full`, or the error of a render.
   */
  async read(text: string, context: ReferenceContext): Promise<ReferencePicture> {
    const { param, kind = 'picture' } = context;
    if (/^data:/i.test(text)) return this.#keep(decodeDataUrl(text, kind, param), text, context);
    if (!/^https?:/i.test(text) || !URL.canParse(text)) throw noUrl(text, context);
    const url = new URL(text);
    if (!this.isOwn(url)) return { standIn: hash('sha256', text, 'hex') };
    return this.#keep(await this.#own(url, context), text, context);
  }

  isOwn(url: URL): boolean {
    return this.#parts.isOwnUrl(url) && parseCdnPath(url.pathname) !== undefined;
  }

  async #own(url: URL, context: ReferenceContext): Promise<Buffer> {
    try {
      return await this.#parts.readOwn(url);
    } catch (error) {
      throw naming(url.href, context, error);
    }
  }

  async #keep(bytes: Buffer, given: string, context: ReferenceContext): Promise<ReferencePicture> {
    const contentType = this.#contentType(bytes, given, context);
    const { pins } = context;
    const { db, files } = this.#parts;
    const sha256 = hash('sha256', bytes, 'hex');
    const picture = { sha256, path: files.path(sha256) };
    if (pins.find(sha256)) return picture;
    await storeBytes(pins, { bytes, sha256 });
    await db.transact((tx) => files.register(tx, { name: sha256, bytes: bytes.length, contentType }, 'upload'));
    return picture;
  }

  #contentType(bytes: Buffer, given: string, context: ReferenceContext): string {
    const { probePicture, probeVoice } = this.#parts;
    try {
      return (context.kind === 'voice' ? probeVoice(bytes) : probePicture(bytes)).contentType;
    } catch (error) {
      throw naming(given, context, error);
    }
  }
}

const CALLED = { picture: 'an image', voice: 'a sound file', media: 'an image, video or sound' };

function naming(given: string, { param, kind = 'picture' }: ReferenceContext, error: unknown): unknown {
  if (!(error instanceof EmulatorError) || error.code === 'storage_full') return error;
  if (error.code === 'internal_error' || error.code === 'render_failed') return error;
  return invalidRequestError(
    param,
    `${param} is ${shown(given)}, which cannot be read as ${CALLED[kind]}. ${error.message}`,
  );
}

function shown(given: string): string {
  return given.length <= 60 ? quoted(given) : `${quoted(given.slice(0, 60))}…`;
}

function noUrl(text: string, { param, kind = 'picture' }: ReferenceContext): EmulatorError {
  return invalidRequestError(
    param,
    `${param} must be a data URL or an http(s) URL of ${CALLED[kind]}, not ${quoted(text)}.`,
  );
}

/**
 * The largest reference, or file of a scripted answer, in bytes. In base64 it is as large as the largest JSON body.
 */
export const MAX_REFERENCE_BYTES = 24 * 1024 * 1024;
const HEADER = {
  picture: /^data:image\/[a-z0-9.+-]{1,40}(?:;[a-z0-9=.+-]{1,80}){0,4};base64$/i,
  voice: /^data:audio\/[a-z0-9.+-]{1,40}(?:;[a-z0-9=.+-]{1,80}){0,4};base64$/i,
  media: /^data:(?:image|video|audio)\/[a-z0-9.+-]{1,40}(?:;[a-z0-9=.+-]{1,80}){0,4};base64$/i,
};
const EXAMPLE = {
  picture: 'data:image/png;base64,…',
  voice: 'data:audio/mpeg;base64,…',
  media: 'data:video/mp4;base64,…',
};
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const NO_BASE64 = /[^A-Za-z0-9+/=]|=(?=[^=])/;

type GivenKind = keyof typeof HEADER;

/** Throws `invalid_request` (`param`) unless the URL is base64 of this kind, at most 24 MiB. */
export function decodeDataUrl(url: string, kind: GivenKind, param: string): Buffer {
  const comma = url.indexOf(',');
  const header = url.slice(0, Math.max(0, Math.min(comma, 400)));
  if (!HEADER[kind].test(header)) {
    throw invalidRequestError(
      param,
      `${param} must be a data URL of ${CALLED[kind]} in base64, as in ${EXAMPLE[kind]}, not ${shown(url)}.`,
    );
  }
  const encoded = url.slice(comma + 1);
  const fault = base64Fault(encoded);
  if (fault !== undefined) {
    const remedy = 'Encode the bytes again, with padding and without line breaks.';
    throw invalidRequestError(param, `${param} is ${shown(url)}, whose base64 after the comma ${fault}. ${remedy}`);
  }
  if (encoded.length * 0.75 > MAX_REFERENCE_BYTES) {
    throw invalidRequestError(
      param,
      `${param} contains a file over ${MAX_REFERENCE_BYTES / 1024 / 1024} MiB. Send a smaller one.`,
    );
  }
  return Buffer.from(encoded, 'base64');
}

function base64Fault(encoded: string): string | undefined {
  if (encoded === '') return 'is empty';
  if (encoded.length % 4 !== 0)
    return `has ${countWithNoun(encoded.length, 'character')}, which is not a multiple of 4`;
  if (BASE64.test(encoded)) return undefined;
  const at = encoded.search(NO_BASE64);
  if (at === -1) return 'has too much padding';
  return `contains ${quoted(encoded.charAt(at))} as character ${at + 1}`;
}

/** Writes the file under its hash if it does not exist. Call `register` afterwards. Rejects with `storage_full`. */
export async function storeBytes(pins: FilePins, { bytes, sha256 }: { bytes: Buffer; sha256: string }): Promise<void> {
  if (pins.find(sha256)) return;
  await pins.make(sha256, (scratch) =>
    writeFile(scratch, bytes).catch(async (error: unknown) => {
      await rm(scratch, { force: true });
      throw translateDiskError(error);
    }),
  );
}
