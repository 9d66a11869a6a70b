import type { Database } from '../database/database.ts';
import { nextId } from '../database/sequence-store.ts';
import type { Reader, Transaction } from '../database/transaction.ts';
import { invalid } from '../errors.ts';
import type { Random } from '../random.ts';
import type { Figure, ReferencePicture } from '../render/render-request.ts';
import type { Files } from '../storage/files.ts';
import type { References } from '../storage/references.ts';
import {
  type Element,
  elementByHandle,
  elementById,
  elementPosition,
  elementsBefore,
  insertElement,
} from './element-store.ts';
import { LONGEST_HANDLE, normalizeHandle } from './handles.ts';
import { insertPicture } from './library-store.ts';

export type { Element };

export interface NewElement {
  /** 1 to 32 letters, digits, dashes and underscores; kept in lower case. */
  handle: string;
  kind: string;
  name: string;
  /** A data URL, the emulator's own CDN URL, or any other URL, which is never fetched. */
  image?: string;
}

/** All found, or the index of the first entry that is unknown. */
export type Resolved = { elements: Element[] } | { unknown: number };

const DEFAULT_LIMIT = 1000;

/** Saved characters and things, which prompts mention by their handles [R164 I089]. */
export class Elements {
  readonly #db: Database;
  readonly #random: Random;
  readonly #files: Files;
  readonly #references: References;

  constructor(parts: { db: Database; random: Random; files: Files; references: References }) {
    this.#db = parts.db;
    this.#random = parts.random;
    this.#files = parts.files;
    this.#references = parts.references;
  }

  /** Throws `invalid_request` for a bad or taken handle and for a picture that cannot be read. The account must exist. */
  async create(accountId: string, order: NewElement): Promise<Element> {
    const handle = normalizeHandle(order.handle);
    if (!handle) throw badHandle(order.handle);
    return this.#files.holding(async (hold) => {
      const { image } = order;
      const picture = image
        ? await this.#references.read(image, { param: 'image', hold })
        : undefined;
      return this.#db.transact((tx) => this.#insert(tx, accountId, { ...order, handle }, picture));
    });
  }

  /** Newest first, of one account or of all. */
  list(db: Reader, page: { accountId?: string; limit?: number; after?: string } = {}): Element[] {
    const { accountId, limit = DEFAULT_LIMIT, after } = page;
    const before = after === undefined ? Number.MAX_SAFE_INTEGER : elementPosition(db, after);
    if (before === undefined) {
      throw invalid(
        'after',
        `"after" must be the id of an element; "${after}" is none. Begin anew without it.`,
      );
    }
    return elementsBefore(db, { accountId, before, limit });
  }

  /** Finds what a request names by ids or handles, with or without `@` [I115]. */
  resolve(db: Reader, accountId: string, entries: string[]): Resolved {
    const found = entries.map((entry) => findElement(db, accountId, entry));
    const unknown = found.indexOf(undefined);
    if (unknown >= 0) return { unknown };
    return { elements: found.filter((element) => element !== undefined) };
  }

  /** The element as a render shows it. */
  figure({ handle, name, kind, picture }: Element): Figure {
    if (!picture) return { handle, name, kind };
    if ('standIn' in picture) return { handle, name, kind, picture };
    const { sha256 } = picture;
    return { handle, name, kind, picture: { sha256, path: this.#files.path(sha256) } };
  }

  #insert(
    tx: Transaction,
    accountId: string,
    { handle, kind, name }: NewElement,
    picture: ReferencePicture | undefined,
  ): Element {
    if (elementByHandle(tx, accountId, handle)) throw takenHandle(handle);
    const element = {
      id: nextId(tx, this.#random, 'element', accountId),
      accountId,
      handle,
      kind,
      name,
      picture: picture ? withoutPath(picture) : null,
      created: tx.now,
    };
    insertElement(tx, element);
    if (picture && 'sha256' in picture) insertPicture(tx, picture.sha256, element.id);
    return element;
  }
}

function findElement(db: Reader, accountId: string, entry: string): Element | undefined {
  const handle = normalizeHandle(entry);
  return (
    elementById(db, accountId, entry) ??
    (handle === undefined ? undefined : elementByHandle(db, accountId, handle))
  );
}

/** The data folder may move; what is written down does not name it. */
function withoutPath(picture: ReferencePicture): Element['picture'] {
  return 'sha256' in picture ? { sha256: picture.sha256 } : picture;
}

function badHandle(handle: string): Error {
  return invalid(
    'handle',
    `"handle" must be 1 to ${LONGEST_HANDLE} letters, digits, dashes or underscores, got ${JSON.stringify(handle.slice(0, 80))}. A prompt mentions it as @handle.`,
  );
}

function takenHandle(handle: string): Error {
  return invalid(
    'handle',
    `"handle" must be unique within the account; there is an element @${handle} already. Choose another one.`,
  );
}
