import type { Database } from '../../base/database/database.ts';
import { nextId } from '../../base/database/id-store.ts';
import { findDeletedRecord, unknownAfterError } from '../../base/database/list-queries.ts';
import type { Reader } from '../../base/database/reader.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import { EmulatorError, quoted } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import type { Renderer } from '../../media/render-request.ts';
import type { Elements } from '../library/elements.ts';
import type { ServedFiles } from '../library/served-files.ts';
import type { Files } from './files.ts';
import {
  deleteObjectRow,
  findObject,
  type ListedObject,
  objectPosition,
  objects,
  objectsBefore,
  type StorageObject,
} from './object-store.ts';
import type { References } from './references.ts';

interface NewObject {
  accountId: string;
  /** As given; it is sanitized here. */
  name: string;
  file: string;
  bytes: number;
  contentType: string;
}

interface ObjectPage {
  limit?: number;
  after?: string;
}

/** SQLite reads a negative limit as none. A client that does not know pages gets the whole list. */
const NO_LIMIT = -1;

interface ObjectsParts {
  db: Database;
  random: Random;
  files: Files;
}

export class Objects {
  readonly #db: Database;
  readonly #random: Random;
  readonly #files: Files;

  constructor(parts: ObjectsParts) {
    this.#db = parts.db;
    this.#random = parts.random;
    this.#files = parts.files;
  }

  /** Gives a registered file a permanent URL [I040 I044]. */
  create(tx: Transaction, wanted: NewObject): StorageObject {
    const row = {
      ...wanted,
      id: nextId(tx, this.#random, 'object', wanted.accountId),
      name: sanitizeName(wanted.name),
      created: tx.now,
    };
    return { ...row, position: objects.insert(tx, row) };
  }

  /** Newest first [R029 I046]. Throws `invalid_request` if `after` is not an object of the account. */
  list(db: Reader, accountId: string, { limit = NO_LIMIT, after }: ObjectPage = {}): ListedObject[] {
    if (after === undefined) return objectsBefore(db, accountId, Number.MAX_SAFE_INTEGER, limit);
    const position = objectPosition(db, accountId, after) ?? deletedPosition(db, accountId, after);
    if (position === undefined) throw unknownAfterError('an object in this list', after, 'C076');
    return objectsBefore(db, accountId, position, limit);
  }

  /** Removes an object from the CDN, and its file unless something else needs it [R178]. Throws `not_found`. */
  delete(accountId: string, id: string): Promise<StorageObject> {
    return this.#db.transact((tx) => {
      const object = findObject(tx, id);
      if (object?.accountId !== accountId) throw noObject(id);
      deleteObjectRow(tx, id);
      this.#files.collect(tx, object.file);
      return object;
    });
  }
}

function deletedPosition(db: Reader, accountId: string, id: string): number | undefined {
  const gone = findDeletedRecord(db, id);
  return gone?.accountId === accountId ? gone.position : undefined;
}

function noObject(id: string): EmulatorError {
  return new EmulatorError(
    'not_found',
    `This account has no storage object ${quoted(id)}. GET /v1/storage/objects lists them.`,
    { choice: 'C078' },
  );
}

const MAX_NAME = 100;
const NAMELESS = 'file';

/**
 * The last path segment without accents, at most 100 letters, digits, dots, dashes and underscores. Never empty or
 * hidden: a leading dot becomes an extension of `file` [R025 R177 I045 I214].
 */
export function sanitizeName(name: string): string {
  const segment = name.split(/[/\\]/).findLast((part) => part !== '') ?? '';
  const safe = segment.normalize('NFKD').replace(/[^A-Za-z0-9._-]/g, '');
  if (/^\.*$/.test(safe)) return NAMELESS;
  return shortened(safe.replace(/^\.+/, `${NAMELESS}.`));
}

/** Keeps the extension. */
function shortened(name: string): string {
  if (name.length <= MAX_NAME) return name;
  const extension = /\.[A-Za-z0-9]{1,8}$/.exec(name)?.[0] ?? '';
  return name.slice(0, MAX_NAME - extension.length) + extension;
}

export interface Storage {
  readonly files: Files;
  readonly renderer: Renderer;
  readonly objects: Objects;
  readonly references: References;
  readonly served: ServedFiles;
  readonly elements: Elements;
}
