import { PREFIX } from '../ids.ts';
import type { Random } from '../random.ts';

/** An odd number has an inverse modulo 2^32: multiplying by the one and by the other leads back. */
const SCATTER = 0x9e3779b1;
const GATHER = 0xe8b2f51;

/**
 * The public id of the nth entry of an account: 16 hex digits of the account's own, then n, scattered over 8 more.
 * So an id needs no index, and making one needs no hash: every charge has one.
 */
export function entryId(random: Random, accountId: string, n: number): string {
  const scattered = Math.imul(n, SCATTER) >>> 0;
  return `${PREFIX.entry}_${random.stem(accountId, 'entry')}${scattered.toString(16).padStart(8, '0')}`;
}

/** The n of an entry's id; undefined for what is no id of an entry of that account. */
export function entryNumber(random: Random, accountId: string, id: string): number | undefined {
  const n = Math.imul(Number.parseInt(id.slice(-8), 16), GATHER) >>> 0;
  return entryId(random, accountId, n) === id ? n : undefined;
}
