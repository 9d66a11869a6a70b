import type { Reader, SqlValue, Transaction } from '../database/transaction.ts';

/** A given picture, by the SHA-256 of its bytes or, where it may not be fetched, by the hash of its URL. */
export type ElementPicture = { sha256: string } | { standIn: string };

/** A saved character or thing; `created` is in milliseconds. */
export interface Element {
  id: string;
  accountId: string;
  /** Lower case, unique within its account. */
  handle: string;
  kind: string;
  name: string;
  picture: ElementPicture | null;
  created: number;
}

interface ElementRow extends Omit<Element, 'picture'> {
  picture: string | null;
}

const ELEMENT =
  'SELECT id, account_id AS accountId, handle, kind, name, picture, created FROM elements';

export function insertElement(tx: Transaction, element: Element): void {
  tx.run(
    'INSERT INTO elements (id, account_id, handle, kind, name, picture, created) VALUES (?, ?, ?, ?, ?, ?, ?)',
    element.id,
    element.accountId,
    element.handle,
    element.kind,
    element.name,
    element.picture && JSON.stringify(element.picture),
    element.created,
  );
}

/** An element of the account by its handle. */
export function elementByHandle(
  db: Reader,
  accountId: string,
  handle: string,
): Element | undefined {
  return one(
    db.get<ElementRow>(`${ELEMENT} WHERE account_id = ? AND handle = ?`, accountId, handle),
  );
}

/** An element of the account by its id. */
export function elementById(db: Reader, accountId: string, id: string): Element | undefined {
  return one(db.get<ElementRow>(`${ELEMENT} WHERE id = ? AND account_id = ?`, id, accountId));
}

export function elementPosition(db: Reader, id: string): number | undefined {
  return db.get<{ position: number }>('SELECT position FROM elements WHERE id = ?', id)?.position;
}

/** Newest first, from before a position; of one account or of all. */
export function elementsBefore(
  db: Reader,
  scope: { accountId?: string; before: number; limit: number },
): Element[] {
  const [ofAccount, values]: [string, SqlValue[]] =
    scope.accountId === undefined ? ['', []] : ['account_id = ? AND', [scope.accountId]];
  const rows = db.all<ElementRow>(
    `${ELEMENT} WHERE ${ofAccount} position < ? ORDER BY position DESC LIMIT ?`,
    ...values,
    scope.before,
    scope.limit,
  );
  return rows.flatMap((row) => one(row) ?? []);
}

function one(row: ElementRow | undefined): Element | undefined {
  return row && { ...row, picture: row.picture && JSON.parse(row.picture) };
}
