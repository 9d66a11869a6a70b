import type { Clock } from '../base/clock/clock.ts';
import { lastLines } from '../base/output/output-line.ts';
import { counted } from '../base/text.ts';
import { testKey } from '../engine/accounts/tests.ts';
import type { CheckId } from './checks.ts';
import type { FaultRunOrder } from './faults/arm-faults.ts';
import { failedCheck } from './faults/failed-check.ts';
import type { FailedRun, Failure } from './faults/finding-book.ts';
import { judge, referenceOf } from './faults/judge.ts';
import { type ReadSteps, readSteps } from './faults/read-steps.ts';
import { type Scenario, StepRegistry } from './faults/scenario.ts';
import { commandMark, type Numbering, type Step } from './faults/step.ts';
import { type PlainDifference, type PlainSteps, unevenSteps } from './faults/uneven-steps.ts';
import { NO_COMMAND, type Run, RunFault, type Runner, type RunSite, TOO_LITTLE } from './runner/runner.ts';
import { failedCommandText, UnevenRuns } from './runner/uneven-runs.ts';
import type { BaselineSpend } from './spend/spend-baseline.ts';
import { SpendTally, spendOf } from './spend/spend-tally.ts';

/** On a busy machine, a client that polls may poll once more, so the two baseline runs may differ this many times. */
const PLAIN_PAIRS = 5;
/** The least time for the first run, and the time after which the user is informed. Milliseconds. */
const LEAST_MS = 3000;
const LONG_MS = 10_000;
/** After this time the first warm-up is over, so that other runs need not wait for a long one. Milliseconds. */
const WARM_MS = 3000;
const MAX_LINES = 20;
const ENOUGH = 3;

const NO_REQUEST = `The command made no request to the emulator, so nothing can be measured.
Configure its client with SVC_BASE_URL and SVC_API_KEY, or OPENAI_BASE_URL and OPENAI_API_KEY, and without a mock.`;

type Pair = ReadSteps & { runs: [Run, Run] };

interface BaselineRun {
  run: Run;
  isDelayed: boolean;
  spend: BaselineSpend | undefined;
}

interface BaselineOptions {
  clock: Clock;
  /** The limit for the first run in milliseconds; 0 means no limit. */
  budgetMs: number;
  jobs: number;
  warn(message: string): void;
  onCrowded(how: string): void;
}

/** The runs without faults. All other runs are compared with them, and the first that passes gives the spending. */
export class BaselineRuns {
  runs: readonly Run[] = [];
  registry = new StepRegistry([]);
  numbering: Numbering = new Map();
  readonly #runner: Runner<FaultRunOrder>;
  readonly #options: BaselineOptions;
  readonly #made: BaselineRun[] = [];
  #hasPassed = false;

  constructor(runner: Runner<FaultRunOrder>, options: BaselineOptions) {
    this.#runner = runner;
    this.#options = options;
  }

  /** The mean of the two baseline runs, in milliseconds. */
  get ms(): number {
    const sum = this.runs.reduce((total, { ms }) => total + ms, 0);
    return Math.round(sum / Math.max(1, this.runs.length));
  }

  get limitMs(): number {
    return limitAfter(this);
  }

  get spend(): BaselineSpend | undefined {
    return this.#passed[0]?.spend;
  }

  get #passed(): BaselineRun[] {
    return this.#made.filter(({ run }) => hasPassed(run));
  }

  checkOf(scenario: Scenario, { run, failure }: FailedRun): CheckId {
    const { verdicts } = referenceOf([], this.runs);
    const codes = run.record.findings.map(({ finding }) => finding).filter((code) => !verdicts.includes(code));
    return failedCheck({ scenario, ...failure, codes });
  }

  fault(): RunFault | undefined {
    const [first] = this.#made;
    if (!first || this.#made.some(({ run }) => run.failure?.kind === 'hang')) return undefined;
    if (this.#made.some(({ run }) => isMissing(run)))
      return new RunFault(failedCommandText(first.run.record.failedTests ?? [], first.run.output), NO_COMMAND);
    const failed = this.#made.findLast(({ run, isDelayed }) => !hasPassed(run) && !isDelayed);
    if (this.#passed.length === 0 && failed) {
      const { record, output, failure, check } = failed.run;
      const printed = [output, check].filter(Boolean).join('\n');
      return new RunFault(failedCommandText(record.failedTests ?? [], printed, failure?.message));
    }
    const isDeaf = this.#made.every(({ run }) => !run.record.requests.some(({ path }) => path.startsWith('/v1')));
    return isDeaf ? new RunFault(NO_REQUEST, TOO_LITTLE) : undefined;
  }

  /** Runs the command once, for its cost. Throws `RunFault`: 2 if it fails, 3 if it never reaches the emulator. */
  async measureSpend(): Promise<void> {
    await this.#make({ bounds: [], fromStart: false });
    const fault = this.fault();
    if (fault) throw fault;
  }

  /** The tests that pass although every request fails. */
  async deadTests(): Promise<string[]> {
    const run = await this.#runner.run({ bounds: [], dead: true, limitMs: this.limitMs });
    const [plain] = this.runs;
    const rows = run.record.tests ?? [];
    const needed = new Set(plain?.record.tests?.filter((row) => row.account_ids.length > 0).map(testKey));
    return rows.filter((row) => row.outcome === 'passed' && needed.has(testKey(row))).map(testKey);
  }

  /** Warms up once, and then runs the command twice. Throws `RunFault` if it fails or if the two runs differ. */
  async prepare(): Promise<StepRegistry> {
    const { clock, jobs } = this.#options;
    let early: Promise<Pair | string | undefined> | undefined;
    const warming = this.#first({ bounds: [], delayed: true, fromStart: true });
    const cancel = clock.after(WARM_MS, () => {
      if (jobs === 1) return;
      early = this.#abreast({ limitMs: this.#longestMs, isWaiting: true });
      early.catch(() => undefined);
    });
    const warm = await warming.finally(cancel);
    this.#failureOf(warm);
    const { runs, steps, numbering } = await this.#twice(warm, early);
    if (steps.length === 0) throw new RunFault(NO_STEP);
    const plain = withOverlaps(steps, readSteps(warm.record, numbering).steps);
    return this.#keep(runs, { steps: plain, numbering });
  }

  /** One run is enough to replay faults of the command with this mark. Otherwise a second one follows. */
  async prepareReplay(command: string): Promise<StepRegistry> {
    let first = await this.#first({ bounds: [] });
    // The first run was cold, so tests with timeouts may have failed only because it was slow.
    if (this.#failureOf(first)) first = await this.#plain(first);
    const read = readSteps(first.record);
    if (commandMark(read.steps) === command) return this.#keep([first], read);
    const second = await this.#plain(first);
    return this.#keep([second], readSteps(second.record));
  }

  async #make(order: FaultRunOrder): Promise<BaselineRun> {
    let spend: BaselineSpend | undefined;
    const counting = async ({ tally, context }: RunSite) => ({
      async read() {
        if (!(tally instanceof SpendTally)) return;
        const { findings } = await context.control('judgeClient', { account_id: context.scope });
        spend = { ...spendOf(tally.spend()), findings };
      },
    });
    const run = await this.#runner.run({ ...order, prepare: counting });
    const made = { run, isDelayed: order.delayed === true, spend };
    this.#made.push(made);
    return made;
  }

  async #run(order: FaultRunOrder): Promise<Run> {
    this.#requireHope();
    const { run } = await this.#make(order);
    this.#requireHope();
    return run;
  }

  #requireHope(): void {
    const isLost = this.#made.some(({ run }) => isMissing(run));
    const isGreen = this.#passed.length > 0;
    const isRed = !isGreen && this.#made.filter(({ isDelayed }) => !isDelayed).length >= ENOUGH;
    const fault = isRed || isGreen || isLost ? this.fault() : undefined;
    if (fault) throw fault;
  }

  #keep(runs: readonly Run[], { steps, numbering }: ReadSteps): StepRegistry {
    this.runs = runs;
    this.numbering = numbering;
    const atStart = runs.flatMap(({ record, began }) =>
      record.requests.filter(({ received_at: at }) => Date.parse(at) < began),
    );
    this.registry = new StepRegistry(steps, atStart);
    return this.registry;
  }

  /**
   * Limited by the budget, because the length of the command is unknown and it may never end. Throws `RunFault` after the
   * budget.
   */
  async #first(order: FaultRunOrder): Promise<Run> {
    const { clock, warn } = this.#options;
    const limitMs = this.#longestMs;
    const limit = limitMs === undefined ? '' : ` --budget stops it after ${limitMs / 1000} s.`;
    const cancel = clock.after(LONG_MS, () =>
      warn(`The first run of the command takes more than ${LONG_MS / 1000} s.${limit}`),
    );
    try {
      const run = await this.#run({ ...order, limitMs });
      if (run.failure?.kind !== 'hang') return run;
      const within = counted((limitMs ?? 0) / 1000, 'second');
      throw new RunFault(
        `The baseline run did not end within ${within}. Make it end by itself, or give a longer --budget.${shown(run)}`,
      );
    } finally {
      cancel();
    }
  }

  get #longestMs(): number | undefined {
    const { budgetMs } = this.#options;
    return budgetMs === 0 ? undefined : Math.max(budgetMs, LEAST_MS);
  }

  /**
   * Runs the command twice at the same time, as scenarios run later. If one fails, two runs in sequence show whether the
   * command fails by itself, or conflicts with itself, for example over a port. `early` is a pair that began next to the
   * first run, and counts only if it passed.
   */
  async #twice(warm: Run, early: Promise<Pair | string | undefined> | undefined): Promise<Pair> {
    const found = await early?.catch(() => undefined);
    if (typeof found === 'object') return found;
    const parallel = await this.#abreast({ limitMs: limitAfter(warm) });
    if (typeof parallel === 'object') return parallel;
    const alone = await this.#inARow(warm);
    if (parallel !== undefined) this.#options.onCrowded(parallel);
    return alone;
  }

  async #abreast(limits: Pick<FaultRunOrder, 'limitMs' | 'isWaiting'>): Promise<Pair | string | undefined> {
    const order = { bounds: [], ...limits };
    const ends = await Promise.allSettled([this.#run(order), this.#run(order)]);
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

  async #plain(earlier: Run): Promise<Run> {
    const run = await this.#run({ bounds: [], limitMs: limitAfter(earlier) });
    const failure = this.#failureOf(run);
    if (!failure) return run;
    const { output, record } = run;
    if (this.#hasPassed) throw new UnevenRuns({ tests: record.failedTests ?? [], output, why: failure.message });
    const code = run.failure?.exitCode === NO_COMMAND ? NO_COMMAND : 2;
    throw new RunFault(`The baseline run fails without any fault: ${failure.message}${shown(run)}`, code);
  }

  #failureOf(run: Run): Failure | undefined {
    const { hasApp } = this.#runner;
    const failures = judge(run, [], { reference: undefined, hasApp });
    // The verdict of the baseline run is the standard, not a failure.
    const failure = failures.find(({ kind }) => kind !== 'verdict');
    this.#hasPassed ||= failure === undefined;
    return failure;
  }
}

function hasPassed({ failure, check }: Run): boolean {
  return failure === undefined && check === undefined;
}

function isMissing({ failure }: Run): boolean {
  return failure?.exitCode === NO_COMMAND;
}

function shown({ output }: Run): string {
  return output.trim() === '' ? '' : `\n${lastLines(output, MAX_LINES)}`;
}

export function limitAfter({ ms }: { ms: number }): number {
  return 10 * ms + 30_000;
}

function pairOf(first: Run, second: Run): Pair & { difference: PlainDifference | undefined } {
  const { steps, numbering } = readSteps(first.record);
  const again = readSteps(second.record, numbering);
  const difference = differenceOf({ record: first.record, steps }, { record: second.record, steps: again.steps });
  return { runs: [first, second], steps, numbering, difference };
}

/** The delayed run shows which responses overlap. In other runs that depends on the speed of the machine. */
function withOverlaps(steps: readonly Step[], delayed: readonly Step[]): Step[] {
  const together = new Set(delayed.filter(({ traits }) => traits.overlaps).map(({ name }) => name));
  return steps.map((step) => ({ ...step, traits: { ...step.traits, overlaps: together.has(step.name) } }));
}

const NO_STEP =
  'Faults need the emulator of check, and the baseline run did not use it. Use SVC_BASE_URL and SVC_API_KEY, or OPENAI_BASE_URL and OPENAI_API_KEY. Do not call startEmulator().';

function differenceOf(first: PlainSteps, second: PlainSteps): PlainDifference | undefined {
  const missing = { which: 'first', record: first.record, steps: without(first, second) };
  const added = { which: 'second', record: second.record, steps: without(second, first) };
  return missing.steps.length + added.steps.length === 0 ? undefined : unevenSteps([missing, added]);
}

function without({ steps }: PlainSteps, other: PlainSteps): Step[] {
  const names = new Set(other.steps.map(({ name }) => name));
  return steps.filter(({ name }) => !names.has(name));
}
