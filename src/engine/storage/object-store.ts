import type { Database } from '../../base/database/database.ts';
import { nextId } from '../../base/database/id-store.ts';
import {
  conditionsWithValues,
  findDeletedRecord,
  unknownCursorError,
  wordConditions,
} from '../../base/database/list-queries.ts';
import type { Reader } from '../../base/database/reader.ts';
import { integer, type NewRowOf, type RowOf, rowId, table, text } from '../../base/database/table.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import { EmulatorError, quoted } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import type { Files } from './files.ts';

export const objects = table('objects', {
  position: rowId,
  id: text,
  accountId: text,
  name: text,
  file: text,
  bytes: integer,
  contentType: text,
  created: integer,
});

export type StorageObject = RowOf<typeof objects>;

/** The only columns that a list reads, because a list may be long, and every column takes time. */
const listed = objects.pick('id', 'name', 'bytes', 'contentType', 'created');

export type ListedObject = RowOf<typeof listed>;

export function findObject(db: Reader, id: string): StorageObject | undefined {
  return objects.get(db, `${objects.select} WHERE id = ?`, id);
}

type NewObject = Omit<NewRowOf<typeof objects>, 'id' | 'created'>;

/** Sanitizes the name [I040 I044]. */
export function addObject(tx: Transaction, random: Random, wanted: NewObject): StorageObject {
  const id = nextId(tx, random, 'object', wanted.accountId);
  const row = { ...wanted, id, name: sanitizeFileName(wanted.name), created: tx.now };
  return { ...row, position: objects.insert(tx, row) };
}

/** Removes the file too, unless something else needs it [R178]. Throws `not_found`. */
export function removeStorageObject(
  { database, storage }: { database: Database; storage: { files: Files } },
  accountId: string,
  id: string,
): Promise<StorageObject> {
  return database.transact((tx) => {
    const object = findObject(tx, id);
    if (object?.accountId !== accountId) throw noObject(id);
    tx.run('DELETE FROM objects WHERE id = ?', id);
    storage.files.collect(tx, object.file);
    return object;
  });
}

/** SQLite reads a negative limit as none. A client that does not know pages gets the whole list. */
const NO_LIMIT = -1;

/** Newest first [R029 I046]. Throws `invalid_request` for an unknown `after`. */
export function listObjectsOfAccount(
  db: Reader,
  accountId: string,
  { limit = NO_LIMIT, after }: { limit?: number; after?: string } = {},
): ListedObject[] {
  const sql = `${listed.select} WHERE account_id = ? AND position < ? ORDER BY position DESC LIMIT ?`;
  return listed.all(
    db,
    sql,
    accountId,
    after === undefined ? Number.MAX_SAFE_INTEGER : positionOf(db, accountId, after),
    limit,
  );
}

function positionOf(db: Reader, accountId: string, id: string): number {
  const found = findObject(db, id) ?? findDeletedRecord(db, id);
  if (found?.accountId === accountId) return found.position;
  throw unknownCursorError('an object in this list', id, 'C076');
}

export function listObjectsBefore(
  db: Reader,
  page: { accountId: string | undefined; before: number; limit: number; q?: string | undefined },
): StorageObject[] {
  const [owned, owner] = conditionsWithValues(['account_id = ?', page.accountId]);
  const [held, words] = wordConditions("(id || ' ' || name || ' ' || content_type)", page.q);
  return objects.all(
    db,
    `${objects.select} WHERE ${owned}${held}position < ? ORDER BY position DESC LIMIT ?`,
    ...owner,
    ...words,
    page.before,
    page.limit,
  );
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
export function sanitizeFileName(name: string): string {
  const segment = name.split(/[/\\]/).findLast((part) => part !== '') ?? '';
  const safe = segment.normalize('NFKD').replace(/[^A-Za-z0-9._-]/g, '');
  if (/^\.*$/.test(safe)) return NAMELESS;
  return shortened(safe.replace(/^\.+/, `${NAMELESS}.`));
}

function shortened(name: string): string {
  if (name.length <= MAX_NAME) return name;
  const extension = /\.[A-Za-z0-9]{1,8}$/.exec(name)?.[0] ?? '';
  return name.slice(0, MAX_NAME - extension.length) + extension;
}
