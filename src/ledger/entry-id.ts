import { makeId } from '../ids.ts';
import type { Random } from '../random.ts';

/** The public id of the nth entry of an account: derived, and with n in its tail, so that it needs no index of its own. */
export function entryId(random: Random, accountId: string, n: number): string {
  return `${makeId(random, 'entry', accountId, n).slice(0, 19)}${n.toString(36).padStart(7, '0')}`;
}

/** The n of an entry's id; undefined for what is no id of an entry of that account. */
export function entryNumber(random: Random, accountId: string, id: string): number | undefined {
  const n = Number.parseInt(id.slice(19), 36);
  return Number.isSafeInteger(n) && entryId(random, accountId, n) === id ? n : undefined;
}
