import type { Clock } from '../base/clock/clock.ts';
import { makeId } from '../base/database/id-store.ts';
import type { Random } from '../base/random.ts';

declare module '../service/http/context.ts' {
  interface Control {
    /** Which test each account was made for. */
    readonly units: Units;
  }
}

export const OUTCOMES = ['passed', 'failed', 'skipped'] as const;

export type TestOutcome = (typeof OUTCOMES)[number];

/** A test as its runner names it. */
export interface UnitName {
  /** The full path of its titles. */
  name: string;
  /** Its source file. */
  file?: string | undefined;
  /** Where it begins in the file, from 1. */
  line?: number | undefined;
  /** The runner tries the test again: its unit goes on, and takes the last outcome. */
  retry?: boolean | undefined;
}

/** A test that reports its outcome, with the accounts that were made for it. Times are milliseconds of the machine's clock. */
export interface Unit {
  readonly id: string;
  /** From the second test of that name in the file on with its number, as in `pays once #2`. */
  readonly name: string;
  readonly file: string | undefined;
  readonly line: number | undefined;
  readonly accountIds: string[];
  /** It moved the clock, reset or restored: what runs beside it is affected. */
  exclusive: boolean;
  readonly started: number;
  ended: number | undefined;
  outcome: TestOutcome | undefined;
  /** The beginning of what the test failed with. */
  error: string | undefined;
}

/** What a test is known by from run to run. */
export function unitKey({ name, file }: { name: string; file?: string | null | undefined }): string {
  return file ? `${file} > ${name}` : name;
}

/** The oldest units make room beyond it. */
const MOST_UNITS = 20_000;
const MOST_ERROR = 2000;

/**
 * The tests whose fixtures report them, for those who ask which test an account belongs to. They are no part of the state:
 * kept in memory, and a reset or a restore leaves them.
 */
export class Units {
  readonly #parts: { clock: Clock; random: Random };
  readonly #units = new Map<string, Unit>();
  readonly #byAccount = new Map<string, Unit>();
  readonly #underWay = new Set<Unit>();
  /** The newest unit of each name of a file, and how many there are. */
  readonly #named = new Map<string, { newest: Unit; count: number }>();
  #made = 0;

  constructor(parts: { clock: Clock; random: Random }) {
    this.#parts = parts;
  }

  /** A new one, or the one whose test is tried again. */
  open({ name, file, line, retry }: UnitName): Unit {
    const key = JSON.stringify([file, name]);
    const known = this.#named.get(key);
    if (known && retry) return this.#reopen(known.newest);
    const count = (known?.count ?? 0) + 1;
    const { clock, random } = this.#parts;
    this.#made += 1;
    const unit: Unit = {
      id: makeId(random, 'unit', '', this.#made),
      name: count === 1 ? name : `${name} #${count}`,
      file,
      line,
      accountIds: [],
      exclusive: false,
      started: clock.real(),
      ended: undefined,
      outcome: undefined,
      error: undefined,
    };
    this.#named.set(key, { newest: unit, count });
    this.#units.set(unit.id, unit);
    this.#underWay.add(unit);
    this.#makeRoom();
    return unit;
  }

  /** The account belongs to the test from now on. */
  join(unit: Unit, accountId: string): void {
    unit.accountIds.push(accountId);
    this.#byAccount.set(accountId, unit);
  }

  end(unit: Unit, outcome: TestOutcome, error: string | undefined): void {
    unit.outcome = outcome;
    unit.error = error?.slice(0, MOST_ERROR);
    unit.ended = this.#parts.clock.real();
    this.#underWay.delete(unit);
  }

  /** The test that runs; undefined where none does, or several at once. */
  get only(): Unit | undefined {
    const [unit, ...others] = this.#underWay;
    return others.length === 0 ? unit : undefined;
  }

  /** The clock is moved, or the state replaced, by one of the tests that run: which one is unknown where there are several. */
  noteExclusive(): void {
    for (const unit of this.#underWay) unit.exclusive = true;
  }

  find(id: string): Unit | undefined {
    return this.#units.get(id);
  }

  /** The test that an account was made for. */
  ofAccount(accountId: string): Unit | undefined {
    return this.#byAccount.get(accountId);
  }

  /** Oldest first. */
  list(): Unit[] {
    return [...this.#units.values()];
  }

  #makeRoom(): void {
    const [oldest] = this.#units.values();
    if (!oldest || this.#units.size <= MOST_UNITS) return;
    this.#units.delete(oldest.id);
    this.#underWay.delete(oldest);
    for (const id of oldest.accountIds) this.#byAccount.delete(id);
  }

  #reopen(unit: Unit): Unit {
    unit.ended = undefined;
    unit.outcome = undefined;
    unit.error = undefined;
    this.#underWay.add(unit);
    return unit;
  }
}
