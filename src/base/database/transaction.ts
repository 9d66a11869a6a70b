import type { UnwrittenEntries } from './ledger-store.ts';
import type { Reader, Writer } from './reader.ts';

export interface Transaction extends Reader, Writer {
  /** The emulator's time in milliseconds, read once when the transaction began. */
  readonly now: number;
  readonly ledger: UnwrittenEntries;
  /** Runs `hook` after the commit, unless the transaction or commit fails. Throws after the transaction has ended. */
  onCommit(hook: () => void): void;
}

/** Forbids promises, so that no other transaction can write in between. */
export type NotAPromise<T> = T extends PromiseLike<unknown> ? never : T;
