import type { Reader } from '../../base/database/transaction.ts';

/** A key as it is kept: its text is not. Times are milliseconds. */
export interface StoredKey {
  id: string;
  accountId: string;
  created: number;
  /** Null as long as it works. */
  revoked: number | null;
}

const KEY = 'SELECT id, account_id AS accountId, created, revoked FROM keys';

export function findKey(db: Reader, id: string): StoredKey | undefined {
  return db.get<StoredKey>(`${KEY} WHERE id = ?`, id);
}

/** Newest first; `before` is the last one seen. */
export function listKeys(
  db: Reader,
  accountId: string,
  { limit, before }: { limit: number; before: StoredKey | undefined },
): StoredKey[] {
  return db.all<StoredKey>(
    `${KEY} WHERE account_id = ? AND (created, id) < (?, ?) ORDER BY created DESC, id DESC LIMIT ?`,
    accountId,
    before?.created ?? Number.MAX_SAFE_INTEGER,
    before?.id ?? '',
    limit,
  );
}
