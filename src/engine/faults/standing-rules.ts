import type { Reader } from '../../base/database/transaction.ts';
import type { FaultRule, NewFaultRule } from './fault-rule.ts';

/** A row that an extra has made otherwise than the service does. */
export interface AlteredRow {
  /** What made it so. */
  by: string;
  /** The id of a job, an object or a run, or an entry as in `acct_1 entry 7`. */
  ref: string;
  detail: string;
}

/** Rules that wait for no request: an extra has them from when they are made until they are over. */
export interface StandingRules {
  /** How many act now. */
  readonly count: number;
  /** Called when a rule has applied; the fault rules count it. */
  onApplied: (rule: FaultRule) => void;
  /** Called before a reset or a restore forgets what is on record; it never rejects. */
  readonly onReplace: () => Promise<void>;
  /** Loads what rules need to act. */
  ready(): Promise<void>;
  /** Throws `invalid_request` for a rule that could never apply. */
  requireUse(order: Pick<NewFaultRule, 'match' | 'effect'> & { probability?: number | undefined }): void;
  /** What the field of an effect's form offers: value, text and note of each. */
  optionsOf(field: string): readonly (readonly string[])[] | undefined;
  /** The rules of the database, in place of those before. */
  set(rules: readonly FaultRule[]): Promise<void>;
  enter(rule: FaultRule): void;
  leave(id: string): void;
  clear(): void;
  /** An account belongs to a unit from now on; resolves when what is armed for it is. */
  join(accountId: string, unit: string): Promise<void>;
  /** In the order in which they were made. */
  altered(db: Reader): AlteredRow[];
}

/** Without the extra there are none. */
export function noStandingRules(): StandingRules {
  return {
    count: 0,
    onApplied() {},
    onReplace: async () => undefined,
    ready: async () => undefined,
    requireUse() {},
    optionsOf: () => undefined,
    set: async () => undefined,
    enter() {},
    leave() {},
    clear() {},
    join: async () => undefined,
    altered: () => [],
  };
}
