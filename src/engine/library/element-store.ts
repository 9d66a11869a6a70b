import { conditionsWithValues, wordConditions } from '../../base/database/list-queries.ts';
import type { Reader } from '../../base/database/reader.ts';
import { integer, json, type RowOf, rowId, table, text } from '../../base/database/table.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import { extensionOf, findFile } from '../storage/file-store.ts';

/** A file that was not fetched is known by the hash of its URL. */
export type ElementFile = { sha256: string } | { standIn: string };

export const elements = table('elements', {
  position: rowId,
  id: text,
  accountId: text,
  /** Lower case, unique within its account. */
  handle: text,
  kind: text,
  name: text,
  picture: json<ElementFile>().nullable(),
  /** A sample of how a character speaks. */
  voice: json<ElementFile>().nullable(),
  created: integer,
});

export type Element = RowOf<typeof elements>;

/** Renders that show it keep its picture. */
export function deleteElement(tx: Transaction, id: string): void {
  tx.run('DELETE FROM elements WHERE id = ?', id);
}

export function findElement(db: Reader, id: string): Element | undefined {
  return elements.get(db, `${elements.select} WHERE id = ?`, id);
}

export function elementByHandle(db: Reader, accountId: string, handle: string): Element | undefined {
  return elements.get(db, `${elements.select} WHERE account_id = ? AND handle = ?`, accountId, handle);
}

const SAID = "(id || ' ' || handle || ' ' || name || ' ' || kind || ' ' || account_id)";

/** Newest first. Without `accountId` of all accounts. Each result contains every word of `q`. */
export function elementsBefore(
  db: Reader,
  scope: { accountId?: string; before: number; limit: number; q?: string },
): Element[] {
  const [owned, owner] = conditionsWithValues(['account_id = ?', scope.accountId]);
  const [held, words] = wordConditions(SAID, scope.q);
  return elements.all(
    db,
    `${elements.select} WHERE ${owned}${held}position < ? ORDER BY position DESC LIMIT ?`,
    ...owner,
    ...words,
    scope.before,
    scope.limit,
  );
}

export interface FileInfo {
  file: string;
  name: string;
  bytes: number;
  contentType: string;
}

/** `name` is the file name in the URL: `picture.png`, `voice.mp3`. Undefined for a file that was not fetched. */
export function findElementFile(db: Reader, given: ElementFile, what: string): FileInfo | undefined {
  const file = 'sha256' in given ? findFile(db, given.sha256) : undefined;
  if (!file) return undefined;
  const { name, bytes, contentType } = file;
  return { file: name, name: `${what}.${extensionOf(contentType)}`, bytes, contentType };
}
