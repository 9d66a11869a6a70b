import { givenConditions, wordConditions } from '../../base/database/list-queries.ts';
import type { Reader, Transaction } from '../../base/database/transaction.ts';

/** `name` is sanitized, `created` is in milliseconds. */
export interface StorageObject {
  id: string;
  accountId: string;
  name: string;
  file: string;
  bytes: number;
  contentType: string;
  created: number;
}

/** Only the columns that a list shows: a page has 1,000 rows, and every column costs time. */
export type ListedObject = Omit<StorageObject, 'accountId' | 'file'>;

const OBJECT = `SELECT id, account_id AS accountId, name, file, bytes, content_type AS contentType, created FROM objects`;

export function insertObject(tx: Transaction, object: StorageObject): void {
  tx.run(
    'INSERT INTO objects (id, account_id, name, file, bytes, content_type, created) VALUES (?, ?, ?, ?, ?, ?, ?)',
    object.id,
    object.accountId,
    object.name,
    object.file,
    object.bytes,
    object.contentType,
    object.created,
  );
}

export function findObject(db: Reader, id: string): StorageObject | undefined {
  return db.get<StorageObject>(`${OBJECT} WHERE id = ?`, id);
}

export function deleteObjectRow(tx: Transaction, id: string): void {
  tx.run('DELETE FROM objects WHERE id = ?', id);
}

/** Undefined for an object of another account. */
export function objectPosition(db: Reader, accountId: string, id: string): number | undefined {
  return db.get<{ position: number }>('SELECT position FROM objects WHERE id = ? AND account_id = ?', id, accountId)
    ?.position;
}

/** Whether a violation reported the object as deleted and still serves it. */
export function isHidden(db: Reader, id: string): boolean {
  return db.get('SELECT 1 AS found FROM objects WHERE id = ? AND hidden', id) !== undefined;
}

export function hideObject(tx: Transaction, id: string): void {
  tx.run('UPDATE objects SET hidden = 1 WHERE id = ?', id);
}

export function objectsBefore(db: Reader, accountId: string, before: number, limit: number): ListedObject[] {
  return db.all<ListedObject>(
    `SELECT id, name, bytes, content_type AS contentType, created FROM objects
     WHERE account_id = ? AND position < ?
       AND NOT hidden ORDER BY position DESC LIMIT ?`,
    accountId,
    before,
    limit,
  );
}

export function ownedObjectsBefore(
  db: Reader,
  page: { accountId: string | undefined; before: number; limit: number; q?: string | undefined },
): StorageObject[] {
  const [owned, owner] = givenConditions(['account_id = ?', page.accountId]);
  const [held, words] = wordConditions("(id || ' ' || name || ' ' || content_type)", page.q);
  return db.all<StorageObject>(
    `${OBJECT} WHERE ${owned}${held}position < ? ORDER BY position DESC LIMIT ?`,
    ...owner,
    ...words,
    page.before,
    page.limit,
  );
}
