export interface RunUnit {
  unit: string;
  isWhole: boolean;
  file?: string | undefined;
}

interface EndedUnit extends RunUnit {
  outcome: 'passed' | 'failed' | 'open';
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

  among(units: readonly RunUnit[], turn: number): Set<string> {
    const chosen = units.filter(({ isWhole }, at) => !isWhole && (at + turn) % CONTROL_EVERY === 0);
    return new Set(units.length > 1 ? chosen.map(({ unit }) => unit) : []);
  }

  isUnsteady({ unit }: RunUnit): boolean {
    return this.#unsteady.has(unit);
  }

  /** Returns whether all tests without a violation passed. A violation of the whole command affects all tests. */
  heed(batch: readonly { unit: RunUnit }[], run: { units: readonly EndedUnit[] }): boolean {
    if (batch.some(({ unit }) => unit.isWhole)) return true;
    const carrying = new Set(batch.map(({ unit }) => unit.unit));
    const others = run.units.filter(
      ({ unit, isWhole, outcome }) => !isWhole && !carrying.has(unit) && outcome !== 'open',
    );
    const failed = others.filter(({ outcome }) => outcome === 'failed');
    for (const each of failed) this.disturb(each);
    return failed.length === 0;
  }

  disturb({ unit, file, isWhole }: RunUnit): void {
    this.#unsteady.add(unit);
    if (!isWhole) this.#disturbed.set(file ?? '', (this.#disturbed.get(file ?? '') ?? 0) + 1);
  }

  heedRun({ hasPassed }: { hasPassed: boolean }, units: readonly RunUnit[]): void {
    if (hasPassed) return;
    for (const { unit } of units) this.#unsteady.add(unit);
  }
}
