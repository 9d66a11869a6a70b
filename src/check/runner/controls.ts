export interface RunUnit {
  unit: string;
  isWhole: boolean;
  file?: string | undefined;
}

interface EndedUnit extends RunUnit {
  outcome: 'passed' | 'failed' | 'open';
}

/** One unit in so many carries no violation, and of a command one run. */
const CONTROL_EVERY = 20;
/** So often a file may have catches without a violation before its units are run alone. */
const MOST_DISTURBED = 2;

/** Units and runs that carry no violation, and what failed without one: its catches say little. */
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

  /** Counts the units that carried nothing; whether all of them passed. A violation of the whole command is carried by all. */
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

  /** A unit that failed without having met a violation. */
  disturb({ unit, file, isWhole }: RunUnit): void {
    this.#unsteady.add(unit);
    if (!isWhole) this.#disturbed.set(file ?? '', (this.#disturbed.get(file ?? '') ?? 0) + 1);
  }

  heedRun({ hasPassed }: { hasPassed: boolean }, units: readonly RunUnit[]): void {
    if (hasPassed) return;
    for (const { unit } of units) this.#unsteady.add(unit);
  }
}
