import type { Account } from '../data/records.ts';
import { shortId } from '../pieces/id-chip.tsx';

export function accountName({ id, name }: Account): string {
  return name ?? shortId(id);
}
