import type { Clock } from '../base/clock/clock.ts';
import { makeId } from '../base/database/id-store.ts';
import type { Random } from '../base/random.ts';

declare module '../service/http/context.ts' {
  interface Control {
    readonly units: Units;
  }
}

export const OUTCOMES = ['passed', 'failed', 'skipped'] as const;

export type TestOutcome = (typeof OUTCOMES)[number];

export interface UnitName {
  /** The titles of its groups and its own. */
  name: string;
  file?: string | undefined;
  line?: number | undefined;
  /** A retry continues the same unit, and its outcome replaces the last one. */
  retry?: boolean | undefined;
}

/** Times are milliseconds of the machine's clock. */
export interface Unit {
  readonly id: string;
  /** The second test of the same name in a file is `pays once #2`, and so on. */
  readonly name: string;
  readonly file: string | undefined;
  readonly line: number | undefined;
  readonly accountIds: string[];
  /** The test moved the clock, reset or restored, and so affected parallel tests. */
  exclusive: boolean;
  readonly started: number;
  ended: number | undefined;
  outcome: TestOutcome | undefined;
  /** Only the beginning. */
  error: string | undefined;
}

/** The same in every run. */
export function unitKey({ name, file }: { name: string; file?: string | null | undefined }): string {
  return file ? `${file} > ${name}` : name;
}

/** Older units are removed. */
const MOST_UNITS = 20_000;
const MOST_ERROR = 2000;

/** Tests that fixtures report, kept in memory. A reset or a restore does not remove them. */
export class Units {
  readonly #parts: { clock: Clock; random: Random };
  readonly #units = new Map<string, Unit>();
  readonly #byAccount = new Map<string, Unit>();
  readonly #underWay = new Set<Unit>();
  /** For each name in a file. */
  readonly #named = new Map<string, { newest: Unit; count: number }>();
  #made = 0;

  constructor(parts: { clock: Clock; random: Random }) {
    this.#parts = parts;
  }

  /** Returns the existing unit for a retry. */
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

  /** Undefined if no test or several tests run. */
  get only(): Unit | undefined {
    const [unit, ...others] = this.#underWay;
    return others.length === 0 ? unit : undefined;
  }

  /** With several running tests, it is unknown which one did it, so all are marked. */
  noteExclusive(): void {
    for (const unit of this.#underWay) unit.exclusive = true;
  }

  find(id: string): Unit | undefined {
    return this.#units.get(id);
  }

  ofAccount(accountId: string): Unit | undefined {
    return this.#byAccount.get(accountId);
  }

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
