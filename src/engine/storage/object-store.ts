import { conditionsWithValues, wordConditions } from '../../base/database/list-queries.ts';
import type { Reader } from '../../base/database/reader.ts';
import { integer, type RowOf, rowId, table, text } from '../../base/database/table.ts';
import type { Transaction } from '../../base/database/transaction.ts';

export const objects = table('objects', {
  position: rowId,
  id: text,
  accountId: text,
  /** Sanitized. */
  name: text,
  file: text,
  bytes: integer,
  contentType: text,
  created: integer,
});

export type StorageObject = RowOf<typeof objects>;

/** Only the columns that a list shows: a page has 1,000 rows, and every column costs time. */
const listed = objects.pick('id', 'name', 'bytes', 'contentType', 'created');

export type ListedObject = RowOf<typeof listed>;

export function findObject(db: Reader, id: string): StorageObject | undefined {
  return objects.get(db, `${objects.select} WHERE id = ?`, id);
}

export function deleteObjectRow(tx: Transaction, id: string): void {
  tx.run('DELETE FROM objects WHERE id = ?', id);
}

/** Undefined for an object of another account. */
export function objectPosition(db: Reader, accountId: string, id: string): number | undefined {
  return db.get<{ position: number }>('SELECT position FROM objects WHERE id = ? AND account_id = ?', id, accountId)
    ?.position;
}

export function objectsBefore(db: Reader, accountId: string, before: number, limit: number): ListedObject[] {
  return listed.all(
    db,
    `${listed.select} WHERE account_id = ? AND position < ? ORDER BY position DESC LIMIT ?`,
    accountId,
    before,
    limit,
  );
}

export function ownedObjectsBefore(
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
