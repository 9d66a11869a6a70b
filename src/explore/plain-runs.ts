import { type Failure, type Judgement, judge, type Reference, referenceOf } from './oracles.ts';
import { differenceOf, type PlainDifference } from './plain-difference.ts';
import { type ReadSteps, readSteps } from './read-steps.ts';
import type { Run, RunRecord } from '../runs/run-record.ts';
import { RunFault, isStarved, type Runner, type RunOrder } from '../runs/runner.ts';
import { isOutcome, keyOf, type Schedule } from './schedule.ts';
import type { Step } from './step.ts';
import type { Numbering } from './step-numbers.ts';
import { StepRegistry } from './step-registry.ts';
import { isOtherOrder, paidOrder } from './unsavable.ts';

/** A story that takes ten times as long as its plain run, and 30 s more, hangs. */
const HANG_FACTOR = 10;
const HANG_MS = 30_000;
/** How often two runs in a row may differ in what was looked at: on a busy machine a fallback looks once more. */
const PLAIN_PAIRS = 5;

/** Two plain runs that took the same steps, and these. */
type Pair = ReadSteps & { runs: [Run, Run] };

/** The runs against which all others are held: plain ones, and undisturbed ones of each outcome. */
export class PlainRuns {
  readonly #runner: Runner;
  readonly #judgement: Omit<Judgement, 'reference' | 'hasApp'>;
  readonly #onCrowded: (how: string) => void;
  readonly #undisturbed = new Map<string, Promise<Run>>();
  readonly #reversed = new Map<string, Promise<Run>>();
  #runs: Run[] = [];
  #registry: StepRegistry | undefined;
  #numbering: Numbering = new Map();

  /** `onCrowded` is called for a story that passes alone and fails beside itself, with how two at once ended. */
  constructor(
    runner: Runner,
    judgement: Omit<Judgement, 'reference' | 'hasApp'>,
    onCrowded: (how: string) => void = () => undefined,
  ) {
    this.#runner = runner;
    this.#judgement = judgement;
    this.#onCrowded = onCrowded;
  }

  get registry(): StepRegistry | undefined {
    return this.#registry;
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
    return limitAfter(this);
  }

  /** A warming run, whose end does not count, and the plain run twice. Throws `RunFault` where it fails or is not the same twice. */
  async prepare(): Promise<StepRegistry> {
    const warm = await this.#runner.run({ bounds: [], delayed: true, fromStart: true });
    const { runs, steps, numbering } = await this.#twice(warm);
    if (steps.length === 0) throw new RunFault(NO_STEP);
    const plain = withOverlaps(steps, readSteps(warm.record, numbering).steps);
    return this.#keep(runs, { steps: plain, numbering });
  }

  /** One plain run, which is enough to replay a schedule of the story that `isOwn` knows: a second one where it does not. */
  async prepareReplay(isOwn: (plain: readonly Step[]) => boolean): Promise<StepRegistry> {
    const first = await this.#plain().catch((error: unknown) => {
      if (!(error instanceof RunFault)) throw error;
      // Nothing has warmed yet, and a story may be in a hurry: what was slow for that is made by now.
      return this.#plain();
    });
    const read = readSteps(first.record);
    if (isOwn(read.steps)) return this.#keep([first], read);
    const second = await this.#plain(first);
    return this.#keep([second], readSteps(second.record));
  }

  #keep(runs: Run[], { steps, numbering }: ReadSteps): StepRegistry {
    this.#runs = runs;
    this.#numbering = numbering;
    const atStart = runs.flatMap(({ record, began }) =>
      record.requests.filter(({ received_at: at }) => Date.parse(at) < began),
    );
    this.#registry = new StepRegistry(steps, atStart);
    return this.#registry;
  }

  /**
   * The plain run twice, at once, as the schedules run that are compared with it. Where one fails so, two in a row show
   * whether the story fails by itself, or only gets in its own way, as by a port that each of its runs takes.
   */
  async #twice(warm: Run): Promise<Pair> {
    const beside = await this.#abreast(warm);
    if (typeof beside === 'object') return beside;
    const alone = await this.#inARow(warm);
    if (beside !== undefined) this.#onCrowded(beside);
    return alone;
  }

  /** Two plain runs at once; how one failed, or nothing where one only looked once more. */
  async #abreast(warm: Run): Promise<Pair | string | undefined> {
    const order = { bounds: [], limitMs: limitAfter(warm) };
    const ends = await Promise.allSettled([this.#runner.run(order), this.#runner.run(order)]);
    const runs = ends.map((end) => {
      if (end.status === 'fulfilled') return this.#failureOf(end.value)?.message ?? end.value;
      if (end.reason instanceof RunFault) return end.reason.message;
      throw end.reason;
    });
    const [first, second] = runs;
    if (typeof first !== 'object') return first;
    if (typeof second !== 'object') return second;
    const { difference, ...pair } = pairOf(first, second);
    if (difference && difference.kind !== 'read') throw new RunFault(difference.message);
    return difference ? undefined : pair;
  }

  /** Two in a row with the same steps: on a machine that is busy for a moment a story may look once more. */
  async #inARow(warm: Run): Promise<Pair> {
    let first = await this.#plain(warm);
    for (let left = PLAIN_PAIRS; ; left -= 1) {
      const second = await this.#plain(first);
      const { difference, ...pair } = pairOf(first, second);
      if (!difference) return pair;
      if (left === 1 || difference.kind !== 'read') throw new RunFault(difference.message);
      first = second;
    }
  }

  async #plain(earlier?: Run): Promise<Run> {
    const run = await this.#runner.run({ bounds: [], limitMs: earlier && limitAfter(earlier) });
    this.#pass(run);
    return run;
  }

  /** The atlas of a plain run that was made, or is made now. */
  async known(): Promise<StepRegistry> {
    return this.#registry ?? (await this.prepare());
  }

  /** The one run of an outcome that nothing else disturbs, made when it is first asked for. */
  undisturbed(outcome: Schedule): Promise<Run> {
    return this.#once(this.#undisturbed, outcome, {});
  }

  /** The undisturbed run of an outcome that others are shown beside: of the plain one the first. */
  usual(outcome: Schedule): Promise<Run | undefined> {
    return outcome.length === 0 ? Promise.resolve(this.#runs[0]) : this.undisturbed(outcome);
  }

  /**
   * What undisturbed runs of a schedule's outcome come to: of takes that could end in either order, in the usual one; in
   * both where the usual one does not explain a run.
   */
  async reference(schedule: Schedule, explains: (reference: Reference) => boolean): Promise<Reference> {
    const outcome = schedule.filter(isOutcome);
    const { mask } = this.#judgement;
    const same = outcome.length === 0 ? this.#runs : [await this.undisturbed(outcome)];
    const reference = referenceOf(same, this.#runs, mask);
    const hasTakes = this.#registry?.plain.some(({ kind }) => kind === 'take') ?? false;
    if (!hasTakes || explains(reference)) return reference;
    const other = await this.#once(this.#reversed, outcome, { reversed: true });
    return referenceOf([...same, other], this.#runs, mask);
  }

  #once(made: Map<string, Promise<Run>>, outcome: Schedule, order: { reversed?: true }): Promise<Run> {
    const key = keyOf(outcome);
    const meant = this.#registry?.order(outcome) ?? { bounds: [] };
    const run = made.get(key) ?? this.#calm({ ...order, ...meant, limitMs: this.limitMs });
    made.set(key, run);
    return run;
  }

  /** What others are held against is made again, with few beside it, where the machine stood still. */
  async #calm(order: RunOrder): Promise<Run> {
    const run = await this.#runner.run(order);
    return this.isStarved(run) ? this.#runner.run({ ...order, rank: 'calm' }) : run;
  }

  /** Whether a run says more about a stalled machine than about the story. */
  isStarved(run: Run): boolean {
    return isStarved(run, this.#runs);
  }

  /** Whether a run's requests were done and charged in another order than those of the first plain run. */
  isOtherOrder({ record }: Run): boolean {
    const [plain] = this.#runs;
    const orderOf = (each: RunRecord) => paidOrder(each, this.#numbering);
    return plain !== undefined && isOtherOrder(orderOf(record), orderOf(plain.record));
  }

  #failureOf(run: Run): Failure | undefined {
    const { hasApp } = this.#runner;
    const failures = judge(run, [], { ...this.#judgement, expected: [], reference: undefined, hasApp });
    // What the verdict says of the plain run is its standard, not its failure.
    return failures.find(({ kind }) => kind !== 'verdict');
  }

  #pass(run: Run): void {
    const failure = this.#failureOf(run);
    if (!failure) return;
    const code = /exit code 127/.test(failure.message) ? 127 : 2;
    const shown = run.output.trim() === '' ? '' : `\n${lastLines(run.output, 20)}`;
    throw new RunFault(`The story fails by itself, with nothing changed: ${failure.message}${shown}`, code);
  }
}

function limitAfter({ ms }: { ms: number }): number {
  return ms * HANG_FACTOR + HANG_MS;
}

function pairOf(first: Run, second: Run): Pair & { difference: PlainDifference | undefined } {
  const { steps, numbering } = readSteps(first.record);
  const again = readSteps(second.record, numbering);
  const difference = differenceOf({ record: first.record, steps }, { record: second.record, steps: again.steps });
  return { runs: [first, second], steps, numbering, difference };
}

/** Only the delayed run shows which answers are under way at the same time; all others depend on the machine's speed. */
function withOverlaps(steps: readonly Step[], delayed: readonly Step[]): Step[] {
  const together = new Set(delayed.filter(({ traits }) => traits.overlaps).map(({ name }) => name));
  return steps.map((step) => ({ ...step, traits: { ...step.traits, overlaps: together.has(step.name) } }));
}

const NO_STEP =
  'The story took no step: nothing reached the emulator. Let it use SVC_BASE_URL and SVC_API_KEY, or OPENAI_BASE_URL and OPENAI_API_KEY.';

/** The lines that say what went wrong, where one of them names an error; else the last. */
export function tellingLines(text: string, most: number): string {
  const lines = text.trimEnd().split('\n');
  const at = lines.findLastIndex((line) => /^\s*(?:[\w.]+ )*[\w.]*(?:Error|Exception)\b.*:|^E {2,}\S/.test(line));
  return at === -1 ? lastLines(text, most) : lines.slice(at, at + most).join('\n');
}

export function lastLines(text: string, most: number): string {
  return text.trimEnd().split('\n').slice(-most).join('\n');
}
