import type { Numbering } from './number-requests.ts';
import { type Judgement, judge, type Reference, referenceOf } from './oracles.ts';
import { readSteps } from './read-steps.ts';
import type { Run } from './run-record.ts';
import { isOutcome, keyOf, type Schedule } from './schedule.ts';
import type { Step } from './step.ts';
import { StepAtlas } from './step-atlas.ts';
import { ExploreFault, type World } from './world.ts';

/** A story that takes ten times as long as its plain run, and 30 s more, hangs. */
const HANG_FACTOR = 10;
const HANG_MS = 30_000;

/** The runs against which all others are held: plain ones, and undisturbed ones of each outcome. */
export class PlainRuns {
  readonly #world: World;
  readonly #judgement: Omit<Judgement, 'reference' | 'hasApp'>;
  readonly #references = new Map<string, Promise<Reference>>();
  #runs: Run[] = [];
  #atlas: StepAtlas | undefined;
  #numbering: Numbering = new Map();

  constructor(world: World, judgement: Omit<Judgement, 'reference' | 'hasApp'>) {
    this.#world = world;
    this.#judgement = judgement;
  }

  get atlas(): StepAtlas | undefined {
    return this.#atlas;
  }

  get numbering(): Numbering {
    return this.#numbering;
  }

  /** How long the plain run takes: milliseconds, of its two runs the mean. */
  get ms(): number {
    const sum = this.#runs.reduce((total, { ms }) => total + ms, 0);
    return Math.round(sum / Math.max(1, this.#runs.length));
  }

  get limitMs(): number {
    return this.ms * HANG_FACTOR + HANG_MS;
  }

  /** A warming run, whose end does not count, and the plain run twice. Throws `ExploreFault` where it fails or is not the same twice. */
  async prepare(): Promise<StepAtlas> {
    const warm = await this.#world.run({ bounds: [], delayed: true });
    const first = await this.#world.run({ bounds: [] });
    this.#pass(first);
    const second = await this.#world.run({ bounds: [], limitMs: first.ms * HANG_FACTOR + HANG_MS });
    this.#pass(second);
    const { steps, numbering } = readSteps(first.record);
    if (steps.length === 0) throw new ExploreFault(NO_STEP);
    const again = readSteps(second.record, numbering).steps;
    requireSame(
      steps.map(({ name }) => name),
      again.map(({ name }) => name),
    );
    this.#runs = [first, second];
    this.#numbering = numbering;
    this.#atlas = new StepAtlas(withOverlaps(steps, readSteps(warm.record, numbering).steps));
    return this.#atlas;
  }

  /** The atlas of a plain run that was made, or is made now. */
  async known(): Promise<StepAtlas> {
    return this.#atlas ?? (await this.prepare());
  }

  /** What undisturbed runs of a schedule's outcome come to; of two takes, ended in either order. */
  async reference(schedule: Schedule): Promise<Reference | undefined> {
    const atlas = this.#atlas;
    if (!atlas) return undefined;
    const outcome = schedule.filter(isOutcome);
    const key = keyOf(outcome);
    const known = this.#references.get(key) ?? this.#refer(atlas, outcome);
    this.#references.set(key, known);
    return known;
  }

  async #refer(atlas: StepAtlas, outcome: Schedule): Promise<Reference> {
    const bounds = atlas.bind(outcome);
    const { limitMs } = this;
    const same = outcome.length === 0 ? this.#runs : [await this.#world.run({ bounds, limitMs })];
    const hasTakes = atlas.plain.some(({ kind }) => kind === 'take');
    const other = hasTakes ? [await this.#world.run({ bounds, limitMs, reversed: true })] : [];
    return referenceOf([...same, ...other], this.#runs, this.#judgement.mask);
  }

  #pass(run: Run): void {
    const { hasApp } = this.#world;
    const failures = judge(run, [], { ...this.#judgement, expected: [], reference: undefined, hasApp });
    // What the verdict says of the plain run is its standard, not its failure.
    const failure = failures.find(({ kind }) => kind !== 'verdict');
    if (!failure) return;
    const code = /exit code 127/.test(failure.message) ? 127 : 2;
    const shown = run.output.trim() === '' ? '' : `\n${lastLines(run.output, 20)}`;
    throw new ExploreFault(`The story fails by itself, with nothing changed: ${failure.message}${shown}`, code);
  }
}

/** Whether answers are under way at the same time, the delayed run tells: all others depend on the machine's speed. */
function withOverlaps(steps: readonly Step[], delayed: readonly Step[]): Step[] {
  const together = new Set(delayed.filter(({ traits }) => traits.overlaps).map(({ name }) => name));
  return steps.map((step) => ({ ...step, traits: { ...step.traits, overlaps: together.has(step.name) } }));
}

const NO_STEP =
  'The story took no step: nothing reached the emulator. Let it use SVC_BASE_URL and SVC_API_KEY, or OPENAI_BASE_URL and OPENAI_API_KEY.';

function requireSame(first: readonly string[], second: readonly string[]): void {
  const missing = first.find((name) => !second.includes(name));
  const added = second.find((name) => !first.includes(name));
  const differing = missing ?? added;
  if (differing === undefined) return;
  const where = missing === undefined ? 'only the second plain run took' : 'only the first plain run took';
  throw new ExploreFault(
    `The story is not the same twice: ${where} the step "${differing}". Take out what is random in it, and wait for what it starts.`,
  );
}

export function lastLines(text: string, most: number): string {
  return text.trimEnd().split('\n').slice(-most).join('\n');
}
