import type { Directives } from '../faults/directives.ts';
import type { Call } from './call.ts';
import { withReason } from './field-list.ts';

/** Warns of directives that have no effect on work that is not moderated and has one result. */
export function warnOfUnused(call: Call<unknown, unknown>, field: string, { block, fail }: Directives): void {
  if (block) call.warn(withReason(field, 'directive=block'));
  warnOfTake(call, field, fail);
}

/** Warns of a `[[bytes:…]]` where the result has no size to choose. */
export function warnOfBytes(call: Call<unknown, unknown>, field: string, { bytes }: Directives): void {
  if (bytes !== undefined) call.warn(withReason(field, 'directive=bytes'));
}

/** Warns of a `[[fail:take=2]]` for a take that does not exist. */
export function warnOfTake(call: Call<unknown, unknown>, field: string, fail: Directives['fail'], takes = 0): void {
  const take = fail?.take ?? 0;
  if (take > takes) call.warn(withReason(field, `directive=fail:take=${take}`));
}
