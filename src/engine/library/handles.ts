import { deletedId } from '../../base/database/setting-store.ts';
import type { Reader } from '../../base/database/transaction.ts';
import { invalid, quoted } from '../../base/errors.ts';
import type { ReferencePicture } from '../../media/render-request.ts';
import {
  type Element,
  elementByHandle,
  elementById,
  elementPosition,
  elementsBefore,
  type GivenFile,
} from './element-store.ts';

/** The most characters of a handle. */
export const LONGEST_HANDLE = 32;

const HANDLE = /^[A-Za-z0-9_-]{1,32}$/;
/** `@mira`, but neither the tail of `me@mira.example` nor a word longer than a handle. */
const MENTION = /(?<![\w@.-])@([A-Za-z0-9_-]{1,32})(?![A-Za-z0-9_-])/g;

/** The stored form of a handle: lower case, without `@`; undefined for what is no handle. */
export function normalizeHandle(text: string): string | undefined {
  const bare = text.startsWith('@') ? text.slice(1) : text;
  return HANDLE.test(bare) ? bare.toLowerCase() : undefined;
}

/** The handles that a prompt mentions as `@handle`, lower-cased, each once, in order [R164]. */
export function handlesIn(prompt: string): string[] {
  const mentions = [...prompt.matchAll(MENTION)].map(([, handle]) => handle?.toLowerCase() ?? '');
  return [...new Set(mentions)];
}

export function requireHandle(text: string): string {
  const handle = normalizeHandle(text);
  if (handle) return handle;
  throw invalid(
    'handle',
    `"handle" must be 1 to ${LONGEST_HANDLE} letters, digits, dashes or underscores, got ${quoted(text)}. A prompt mentions it as @handle.`,
  );
}

export function requireFree(db: Reader, { accountId, handle }: Pick<Element, 'accountId' | 'handle'>) {
  const taken = elementByHandle(db, accountId, handle);
  if (!taken) return;
  throw invalid(
    'handle',
    `"handle" must be unique within the account; @${handle} is the handle of ${taken.id} already. Choose another one.`,
  );
}

export function requireSpeaker({ kind, voice }: Pick<Element, 'kind' | 'voice'>): void {
  if (!voice || kind === 'character') return;
  throw invalid(
    'voice',
    `"voice" goes with the kind "character", and this element is of kind ${JSON.stringify(kind)}. Leave it out, or make the element a character.`,
  );
}

export function named(db: Reader, accountId: string, entry: string): Element | undefined {
  const handle = normalizeHandle(entry);
  return (
    elementById(db, accountId, entry) ?? (handle === undefined ? undefined : elementByHandle(db, accountId, handle))
  );
}

/** Without the path, as the data folder may be moved. */
export function withoutPath(file: ReferencePicture): GivenFile {
  return 'sha256' in file ? { sha256: file.sha256 } : file;
}

export function filesOf(element: Element | undefined): string[] {
  const given = [element?.picture, element?.voice];
  return given.flatMap((file) => (file && 'sha256' in file ? [file.sha256] : []));
}

const DEFAULT_LIMIT = 1000;

/** A page of elements, newest first; `after` is the id of the last element of the page before. */
export interface ElementPage {
  accountId?: string;
  limit?: number;
  after?: string;
  q?: string;
}

/** Of one account or of all. Throws `invalid_request` for an unknown `after`. */
export function elementsOn(db: Reader, { accountId, limit = DEFAULT_LIMIT, after, q }: ElementPage): Element[] {
  const before =
    after === undefined ? Number.MAX_SAFE_INTEGER : (elementPosition(db, after) ?? deletedId(db, after)?.position);
  if (before === undefined) {
    throw invalid(
      'after',
      `"after" must be the id of an element; ${quoted(after ?? '')} is none. Begin anew without it.`,
    );
  }
  return elementsBefore(db, { accountId, before, limit, q });
}

/** An element as a user describes it. */
export interface NewElement {
  /** 1 to 32 letters, digits, dashes and underscores; kept in lower case. */
  handle: string;
  kind: string;
  name: string;
  /** A data URL, the emulator's own CDN URL, or any other URL, which is never fetched. Null removes it. */
  image?: string | null | undefined;
  /** A sample of how it speaks, given in the same ways; of a `character` only. */
  voice?: string | null | undefined;
}
