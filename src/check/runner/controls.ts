export interface RunTest {
  key: string;
  isWhole: boolean;
  file?: string | undefined;
}

/** The share of tests without a violation: one in this many. For a command, one run. */
const CONTROL_EVERY = 20;
/** After this many catches without a violation, the tests of a file run alone. */
const MOST_DISTURBED = 2;

/** The tests and runs without a violation. A test that fails without one makes its catches doubtful. */
export class Controls {
  readonly #unsteady = new Set<string>();
  readonly #disturbed = new Map<string, number>();
  #since = 0;

  get unpacked(): string[] {
    return [...this.#disturbed].filter(([, times]) => times >= MOST_DISTURBED).map(([file]) => file);
  }

  request(): void {
    this.#since = CONTROL_EVERY;
  }

  isDue(): boolean {
    const isDue = this.#since >= CONTROL_EVERY;
    this.#since = isDue ? 1 : this.#since + 1;
    return isDue;
  }

  chooseFrom(tests: readonly RunTest[], turn: number): Set<string> {
    const chosen = tests.filter(({ isWhole }, at) => !isWhole && (at + turn) % CONTROL_EVERY === 0);
    return new Set(tests.length > 1 ? chosen.map(({ key }) => key) : []);
  }

  isUnsteady({ key }: RunTest): boolean {
    return this.#unsteady.has(key);
  }

  /** Returns whether all tests without a violation passed. A violation of the whole command affects all tests. */
  noteControls(
    batch: readonly { test: RunTest }[],
    run: { tests: readonly (RunTest & { outcome: string })[] },
  ): boolean {
    if (batch.some(({ test }) => test.isWhole)) return true;
    const carrying = new Set(batch.map(({ test }) => test.key));
    const others = run.tests.filter(({ key, isWhole }) => !isWhole && !carrying.has(key));
    const failed = others.filter(({ outcome }) => outcome === 'failed');
    for (const each of failed) this.disturb(each);
    return failed.length === 0;
  }

  disturb({ key, file, isWhole }: RunTest): void {
    this.#unsteady.add(key);
    if (!isWhole) this.#disturbed.set(file ?? '', (this.#disturbed.get(file ?? '') ?? 0) + 1);
  }

  noteControlRun({ hasPassed }: { hasPassed: boolean }, tests: readonly RunTest[]): void {
    if (hasPassed) return;
    for (const { key } of tests) this.#unsteady.add(key);
  }
}
