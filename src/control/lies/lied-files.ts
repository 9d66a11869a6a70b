import type { Transaction } from '../../base/database/transaction.ts';
import { insertLied } from '../../engine/faults/lies/lied-store.ts';
import type { Lies } from '../../engine/faults/lies/lies.ts';
import type { StorageObject } from '../../engine/storage/object-store.ts';

/** Under a lie an object is said to be deleted, and is served as before. */
export function keptBy(lies: Lies) {
  return (tx: Transaction, { id, accountId, contentType }: StorageObject): boolean => {
    if (!lies.isOn) return false;
    const path = `/v1/storage/objects/${id}`;
    const occasion = { site: 'DELETE /v1/storage/objects/{id}', accountId, path, method: 'DELETE', contentType };
    const lie = lies.acting('delete.kept', occasion);
    if (!lie) return false;
    insertLied(tx, { accountId, lie: lie.lie, ref: id, detail: 'it was said to be deleted, and is served' });
    tx.onCommit(() => lies.tell(lie, occasion));
    return true;
  };
}
