import { givenConditions, wordConditions } from '../../base/database/list-queries.ts';
import type { Reader, Transaction } from '../../base/database/transaction.ts';
import { extensionOf, findFile } from '../storage/file-store.ts';

/** A file that was not fetched is known by the hash of its URL. */
export type ElementFile = { sha256: string } | { standIn: string };

/** `created` is in milliseconds. */
export interface Element {
  id: string;
  accountId: string;
  /** Lower case, unique within its account. */
  handle: string;
  kind: string;
  name: string;
  picture: ElementFile | null;
  /** A sample of how a character speaks. */
  voice: ElementFile | null;
  created: number;
}

interface ElementRow extends Omit<Element, 'picture' | 'voice'> {
  picture: string | null;
  voice: string | null;
}

const ELEMENT = 'SELECT id, account_id AS accountId, handle, kind, name, picture, voice, created FROM elements';

export function insertElement(tx: Transaction, element: Element): void {
  tx.run(
    `INSERT INTO elements (id, account_id, handle, kind, name, picture, voice, created)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    element.id,
    element.accountId,
    element.handle,
    element.kind,
    element.name,
    written(element.picture),
    written(element.voice),
    element.created,
  );
}

/** Renders that show it keep its picture. */
export function deleteElement(tx: Transaction, id: string): void {
  tx.run('DELETE FROM elements WHERE id = ?', id);
}

export function findElement(db: Reader, id: string): Element | undefined {
  return one(db.get<ElementRow>(`${ELEMENT} WHERE id = ?`, id));
}

export function elementByHandle(db: Reader, accountId: string, handle: string): Element | undefined {
  return one(db.get<ElementRow>(`${ELEMENT} WHERE account_id = ? AND handle = ?`, accountId, handle));
}

const SAID = "(id || ' ' || handle || ' ' || name || ' ' || kind || ' ' || account_id)";

/** Newest first. Without `accountId` of all accounts. Each result contains every word of `q`. */
export function elementsBefore(
  db: Reader,
  scope: { accountId?: string; before: number; limit: number; q?: string },
): Element[] {
  const [owned, owner] = givenConditions(['account_id = ?', scope.accountId]);
  const [held, words] = wordConditions(SAID, scope.q);
  const rows = db.all<ElementRow>(
    `${ELEMENT} WHERE ${owned}${held}position < ? ORDER BY position DESC LIMIT ?`,
    ...owner,
    ...words,
    scope.before,
    scope.limit,
  );
  return rows.flatMap((row) => one(row) ?? []);
}

function one(row: ElementRow | undefined): Element | undefined {
  if (!row) return undefined;
  const { picture, voice } = row;
  return { ...row, picture: picture && JSON.parse(picture), voice: voice && JSON.parse(voice) };
}

function written(file: ElementFile | null): string | null {
  return file && JSON.stringify(file);
}

export interface FileBehind {
  file: string;
  name: string;
  bytes: number;
  contentType: string;
}

/** `name` is the file name in the URL: `picture.png`, `voice.mp3`. Undefined for a file that was not fetched. */
export function elementFile(db: Reader, given: ElementFile, what: string): FileBehind | undefined {
  const file = 'sha256' in given ? findFile(db, given.sha256) : undefined;
  if (!file) return undefined;
  const { name, bytes, contentType } = file;
  return { file: name, name: `${what}.${extensionOf(contentType)}`, bytes, contentType };
}
