import type { Clock } from '../../base/clock/clock.ts';
import { makeId } from '../../base/database/id-store.ts';
import type { Random } from '../../base/random.ts';

export const TEST_OUTCOMES = ['passed', 'failed', 'skipped'] as const;

export type TestOutcome = (typeof TEST_OUTCOMES)[number];

export interface TestStart {
  /** The titles of the test's groups and its own title. */
  name: string;
  file?: string | undefined;
  line?: number | undefined;
  /** True if the runner repeats a failed test. The new outcome then replaces the earlier one. */
  retry?: boolean | undefined;
}

/** Times are milliseconds of the machine's clock. */
export interface RecordedTest {
  readonly id: string;
  readonly name: string;
  readonly file: string | undefined;
  readonly line: number | undefined;
  readonly accountIds: string[];
  /** True if the clock was moved, or the state reset or restored, while the test ran. */
  exclusive: boolean;
  readonly started: number;
  ended: number | undefined;
  outcome: TestOutcome | undefined;
  error: string | undefined;
}

export interface TestNameAndFile {
  name: string;
  file?: string | null | undefined;
}

export function qualifiedTestName({ name, file }: TestNameAndFile): string {
  return file ? `${file} > ${name}` : name;
}

export function isNameOfTest(named: string, test: TestNameAndFile): boolean {
  return named === test.name || named === qualifiedTestName(test);
}

const MAX_TESTS = 20_000;
const MAX_ERROR = 2000;

/** The tests that runners report, kept in memory. A reset or a restore does not remove them. */
export class Tests {
  readonly #parts: { clock: Clock; random: Random };
  readonly #tests = new Map<string, RecordedTest>();
  readonly #byAccount = new Map<string, RecordedTest>();
  readonly #underWay = new Set<RecordedTest>();
  readonly #named = new Map<string, { newest: RecordedTest; count: number }>();
  #made = 0;

  constructor(parts: { clock: Clock; random: Random }) {
    this.#parts = parts;
  }

  open({ name, file, line, retry }: TestStart): RecordedTest {
    const key = JSON.stringify([file, name]);
    const known = this.#named.get(key);
    if (known && retry) return this.#reopen(known.newest);
    const count = (known?.count ?? 0) + 1;
    const { clock, random } = this.#parts;
    this.#made += 1;
    const test: RecordedTest = {
      id: makeId(random, 'test', '', this.#made),
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
    this.#named.set(key, { newest: test, count });
    this.#tests.set(test.id, test);
    this.#underWay.add(test);
    this.#makeRoom();
    return test;
  }

  join(test: RecordedTest, accountId: string): void {
    test.accountIds.push(accountId);
    this.#byAccount.set(accountId, test);
  }

  end(test: RecordedTest, outcome: TestOutcome, error: string | undefined): void {
    test.outcome = outcome;
    test.error = error?.slice(0, MAX_ERROR);
    test.ended = this.#parts.clock.real();
    this.#underWay.delete(test);
  }

  get only(): RecordedTest | undefined {
    const [test, ...others] = this.#underWay;
    return others.length === 0 ? test : undefined;
  }

  /** Marks all running tests, because it is unknown which of them moved the clock, reset or restored. */
  noteExclusive(): void {
    for (const test of this.#underWay) test.exclusive = true;
  }

  find(id: string): RecordedTest | undefined {
    return this.#tests.get(id);
  }

  ofAccount(accountId: string): RecordedTest | undefined {
    return this.#byAccount.get(accountId);
  }

  list(): RecordedTest[] {
    return [...this.#tests.values()];
  }

  #makeRoom(): void {
    const [oldest] = this.#tests.values();
    if (!oldest || this.#tests.size <= MAX_TESTS) return;
    this.#tests.delete(oldest.id);
    this.#underWay.delete(oldest);
    for (const id of oldest.accountIds) this.#byAccount.delete(id);
  }

  #reopen(test: RecordedTest): RecordedTest {
    test.ended = undefined;
    test.outcome = undefined;
    test.error = undefined;
    this.#underWay.add(test);
    return test;
  }
}
