export interface RunTest {
  key: string;
  isWhole: boolean;
  file?: string | undefined;
}

/** The share of tests without a fault: one in this many. */
const CONTROL_EVERY = 20;
/** After this many failures without a fault, the tests of a file run alone. */
const MAX_DISTURBED = 2;

/** The tests without a fault. If one fails, the tests of its file may affect each other. */
export class Controls {
  readonly #disturbed = new Map<string, number>();

  get unpacked(): string[] {
    return [...this.#disturbed].filter(([, times]) => times >= MAX_DISTURBED).map(([file]) => file);
  }

  chooseFrom(tests: readonly RunTest[], turn: number): Set<string> {
    const chosen = tests.filter(({ isWhole }, at) => !isWhole && (at + turn) % CONTROL_EVERY === 0);
    return new Set(tests.length > 1 ? chosen.map(({ key }) => key) : []);
  }

  /** Returns whether all tests without a fault passed. A fault of the whole command affects all tests. */
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

  disturb({ file, isWhole }: RunTest): void {
    if (!isWhole) this.#disturbed.set(file ?? '', (this.#disturbed.get(file ?? '') ?? 0) + 1);
  }
}
