import type { Directives } from '../faults/directives.ts';
import type { Call } from './call.ts';
import { withReason } from './field-list.ts';

/** Names, with the field that brought them, directives that mean nothing to work that is not moderated and has one result. */
export function warnOfUnused(call: Call<unknown, unknown>, field: string, { block, fail }: Directives): void {
  if (block) call.warn(withReason(field, 'directive=block'));
  warnOfTake(call, field, fail);
}

/** Names a `[[bytes:…]]` where nothing is made whose size could be chosen. */
export function warnOfBytes(call: Call<unknown, unknown>, field: string, { bytes }: Directives): void {
  if (bytes !== undefined) call.warn(withReason(field, 'directive=bytes'));
}

/** Names a `[[fail:take=2]]` that no take answers to. */
export function warnOfTake(call: Call<unknown, unknown>, field: string, fail: Directives['fail'], takes = 0): void {
  const take = fail?.take ?? 0;
  if (take > takes) call.warn(withReason(field, `directive=fail:take=${take}`));
}
