import type { Account } from '../data/records.ts';
import { shortId } from '../pieces/id-chip.tsx';

/** An account without a name of its own is named by its id. */
export function accountName({ id, name }: Account): string {
  return name === null || name === id ? shortId(id) : name;
}
