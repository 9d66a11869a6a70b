import { z } from 'zod';
import { unixSeconds } from '../../clock/clock.ts';
import type { Transaction } from '../../database/transaction.ts';
import { insertLied } from '../../faults/lies/lied-store.ts';
import type { Lies } from '../../faults/lies/lies.ts';
import { operation } from '../../http/operation.ts';
import type { StorageObject } from '../../storage/objects.ts';
import { objectShape } from './object-shape.ts';

export const deleteObject = operation({
  name: 'deleteObject',
  method: 'DELETE',
  path: '/v1/storage/objects/:id',
  summary: 'Takes an object off the CDN.',
  access: 'key',
  answer: z.strictObject({
    id: z.string(),
    object: z.literal('storage.object'),
    deleted: z.literal(true),
  }),
  async handle(call) {
    const { objects, audit, lies } = call.context;
    const { accountId } = call.caller;
    const was = await objects.delete(accountId, call.param('id'), lies.isOn ? keptBy(lies) : undefined);
    const { id, name, created } = was;
    const stood = { ...objectShape(was, call.baseUrl), account_id: accountId, name, created: unixSeconds(created) };
    audit.deleted(id, stood, accountId);
    return { id, object: 'storage.object' as const, deleted: true as const };
  },
});

/** Under a lie an object is said to be deleted, and is served as before. */
function keptBy(lies: Lies) {
  return (tx: Transaction, { id, accountId, contentType }: StorageObject): boolean => {
    const path = `/v1/storage/objects/${id}`;
    const occasion = { site: 'DELETE /v1/storage/objects/{id}', accountId, path, method: 'DELETE', contentType };
    const lie = lies.acting('delete.kept', occasion);
    if (!lie) return false;
    insertLied(tx, { accountId, lie: lie.lie, ref: id, detail: 'it was said to be deleted, and is served' });
    tx.onCommit(() => lies.tell(lie, occasion));
    return true;
  };
}
