import type { Clock } from '../../base/clock/clock.ts';
import { PacedRunner } from '../runner/paced-runner.ts';
import { type Run, RunFault, type Runner } from '../runner/runner.ts';
import type { ScheduleOrder } from './apply-schedule.ts';
import type { Failed } from './confirm-finding.ts';
import { type ConfirmationOptions, Confirmations, SearchTime } from './confirmations.ts';
import { ExpectedSuccesses, singlesOf } from './expected-success.ts';
import { type ExploreReport, NOTHING_RUN, type SearchProgress, type SearchResult } from './explore-report.ts';
import { type Failure, type Finding, FindingBook } from './finding-book.ts';
import type { Standards } from './judge.ts';
import { PackedRuns } from './packed-runs.ts';
import { PlainRuns } from './plain-runs.ts';
import { readSteps } from './read-steps.ts';
import { isOutcome, keyOf, type Schedule, type StepRegistry } from './schedule.ts';
import { following, hashOf, isSought, plannedSchedules } from './search-order.ts';
import { SearchQueue } from './search-queue.ts';
import { type Step, storyMark } from './step.ts';
import type { Replay } from './token.ts';
import { type Trial, Trials } from './trials.ts';

/** How long and how far a search goes, and by what runs are judged. */
export interface SearchOptions extends Standards, ConfirmationOptions {
  budgetMs: number;
  /** How many schedules at most; undefined: as many as there are. */
  schedules: number | undefined;
  stopAfter: number | undefined;
  shard: { index: number; of: number };
  /** Found in earlier searches: tried first. */
  saved: readonly Replay[];
  /** Called with what is wrong with the story but stops nothing. */
  warn?: (message: string) => void;
  /** Called where two runs of the story get in each other's way. */
  onCrowded?: () => void;
  /** Called when the plain runs are made. */
  onPrepared?: () => void;
  /** Called with what has failed for the first time. */
  onSuspect?: (schedule: Schedule, failure: Failure) => void;
  /** A token counts whatever else the story has become: all of its steps have to come up. */
  anyStory?: boolean;
}

const OTHER_STORY =
  'The token belongs to another command: its baseline run takes other steps. Give the command and the options that it was found with.';

/** One search: runs schedule after schedule, and keeps what fails. */
export class SearchRun {
  readonly #runner: PacedRunner<ScheduleOrder>;
  readonly #clock: Clock;
  readonly #time: SearchTime;
  readonly #options: SearchOptions;
  readonly #plain: PlainRuns;
  readonly #trials: Trials;
  #confirming: Confirmations | undefined;
  readonly #passed = new Set<string>();
  /** Of a suite whose fixtures report its tests. */
  #packed: PackedRuns | undefined;
  readonly #book = new FindingBook();
  readonly #counts: SearchResult['byDeviation'] = {};
  readonly #expecting: ExpectedSuccesses | undefined;
  #queue = new SearchQueue([], []);
  /** One text for all of the plan, whichever machine has a part of it. */
  #hash = NOTHING_RUN.schedulesHash;
  #preparedMs = 0;
  #isBroken = false;
  #exploringEarly = Promise.resolve();

  constructor(runner: Runner<ScheduleOrder>, clock: Clock, options: SearchOptions) {
    this.#runner = new PacedRunner(runner, clock, options);
    this.#clock = clock;
    this.#time = new SearchTime(clock, options.budgetMs);
    this.#options = options;
    this.#expecting = options.sparesRefusals ? new ExpectedSuccesses() : undefined;
    const { budgetMs, warn = () => undefined } = options;
    const onCrowded = (how: string) => this.#narrow(how);
    this.#plain = new PlainRuns(this.#runner, options, { clock, budgetMs, jobs: options.jobs, warn, onCrowded });
    this.#trials = new Trials(this.#runner, this.#plain, { ...options, clock });
  }

  /**
   * Tries what there is until nothing, or no time, is left. Throws `RunFault` where the plain run is not fit for it;
   * whatever it throws, `result` is what it has come to before.
   */
  async search(onProgress: (progress: SearchProgress) => void = () => {}): Promise<SearchResult> {
    const registry = await this.#prepared(this.#plain.prepare());
    this.#options.onPrepared?.();
    const { search, shard, saved, jobs } = this.#options;
    const all = [...plannedSchedules(registry.plain, search)];
    this.#hash = hashOf(all);
    const mine = all.filter((_, at) => at % shard.of === shard.index - 1);
    const mark = storyMark(registry.plain);
    const known = saved
      .filter(({ story, version }) => story === mark && version === this.#options.version)
      .map(({ schedule }) => schedule)
      .filter((schedule) => schedule.every((entry) => isSought(entry, registry.book(schedule), search)));
    this.#queue = new SearchQueue(known, mine);
    const parts = { clock: this.#clock, mostWaiting: Math.floor(jobs / 2) };
    if (registry.plain.some(({ site }) => site)) this.#packed = new PackedRuns(this.#runner, this.#plain, parts);
    const lanes = Array.from({ length: jobs }, () => this.#work(registry, onProgress));
    // What breaks one ends the others, which are waited for: nothing is to go on behind the report.
    const ends = await Promise.allSettled(lanes);
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
    return this.result;
  }

  get #confirmations(): Confirmations {
    this.#confirming ??= new Confirmations({
      ...{ options: this.#options, plain: this.#plain, trials: this.#trials, book: this.#book, time: this.#time },
      unitsOf: (schedule) => this.#unitsOf(schedule),
      hasPassed: (schedule) => this.#passed.has(keyOf(schedule)),
      isStopped: () => this.#options.signal.aborted || this.#isBroken || this.#isEnough,
      isEnough: () => this.#isEnough,
    });
    return this.#confirming;
  }

  async #prepared(preparing: Promise<StepRegistry>): Promise<StepRegistry> {
    const registry = await preparing;
    this.#preparedMs = this.#time.elapsedMs;
    this.#time.lengthMs = this.#plain.ms;
    return registry;
  }

  /** What it has come to until now. */
  get result(): SearchResult {
    return {
      preparedMs: this.#preparedMs,
      plain: { ms: this.#plain.ms, steps: this.#plain.registry?.plain.map(({ name }) => name) ?? [] },
      schedulesRun: this.#queue.run,
      schedulesLeft: this.#queue.left,
      schedulesHash: this.#hash,
      schedulesFollowed: this.#queue.ranFollowed,
      findings: this.#book.findings,
      unstable: this.#book.unstable,
      unconfirmed: this.#book.unconfirmed,
      byDeviation: Object.fromEntries(Object.entries(this.#counts).sort(([a], [b]) => (a < b ? -1 : 1))),
    };
  }

  /** What the report of a check has beside that. */
  get tried(): Pick<ExploreReport, 'planned_by_deviation' | 'expects_success'> {
    return { planned_by_deviation: singlesOf(this.#queue.mine), expects_success: this.#expecting?.all ?? [] };
  }

  async #again(
    registry: StepRegistry,
    { story, schedule }: Pick<Replay, 'story' | 'schedule'>,
  ): Promise<Finding | undefined> {
    if (!this.#options.anyStory && story !== storyMark(registry.plain)) throw new RunFault(OTHER_STORY);
    await this.#lead(registry, schedule);
    const unknown = registry.unknown(schedule);
    if (unknown) throw new RunFault(`The step "${unknown.step}" of the token does not come up in this run.`);
    const { run, failures } = await this.#trials.of(registry, schedule, { insists: true });
    const [failure] = failures;
    return failure && (await this.#confirmations.report(schedule, { run, failure }));
  }

  /**
   * Runs the schedules of tokens alone, as a search of them: what has failed again is among its findings. Throws
   * `RunFault` for one of another story, and where a step does not come up.
   */
  async replayAll(replays: readonly Pick<Replay, 'story' | 'schedule'>[]): Promise<SearchResult> {
    const stories = replays.map(({ story }) => story);
    const own = (plain: readonly Step[]) => stories.includes(storyMark(plain));
    const registry = await this.#prepared(this.#plain.prepareReplay(own));
    this.#hash = hashOf(replays.map(({ schedule }) => schedule));
    const again = async (replay: Pick<Replay, 'story' | 'schedule'>) => {
      const finding = await this.#again(registry, replay);
      if (finding) this.#book.add(finding);
      if (finding && this.#options.anyStory) await this.#confirmations.trace(registry, finding);
      this.#queue.claim(replay.schedule);
      this.#count(replay.schedule, finding !== undefined);
    };
    await Promise.all(replays.map(again));
    return this.result;
  }

  /** Steps that deviations brought about come up when the rest of the schedule is run. */
  async #lead(registry: StepRegistry, schedule: Schedule): Promise<void> {
    for (let known = 0; known < schedule.length; known += 1) {
      if (registry.unknown(schedule) === undefined) return;
      const run = await this.#runner.run({ ...registry.order(schedule), limitMs: this.#plain.limitMs });
      registry.learn(schedule, readSteps(run.record, this.#plain.numbering).steps);
    }
  }

  async #work(registry: StepRegistry, onProgress: (progress: SearchProgress) => void): Promise<void> {
    for (let batch = this.#take(registry); batch.length > 0; batch = this.#take(registry)) {
      await this.#exploreAll(registry, batch).catch((error: unknown) => this.#excuse(error));
      const total = Math.min(this.#options.schedules ?? Number.POSITIVE_INFINITY, this.#queue.total);
      onProgress({
        run: this.#queue.run,
        total,
        findings: this.#book.findings.length,
        elapsedMs: this.#time.elapsedMs,
      });
    }
  }

  /** Schedules of several tests are run at once; one that fails so is run again, alone, and so is what that run does not show. */
  async #exploreAll(registry: StepRegistry, batch: readonly Schedule[]): Promise<void> {
    const isOver = () => this.#options.signal.aborted || this.#isBroken || this.#time.leftMs < 0;
    const early = new Map<Schedule, Promise<boolean>>();
    const onEnded = (schedule: Schedule, run: Run) => {
      if (early.has(schedule)) return;
      const explored = this.#exploreEarly(registry, schedule, run);
      explored.catch(() => undefined);
      early.set(schedule, explored);
    };
    const packed = (await this.#packed?.run(registry, batch, { isOver, onEnded })) ?? new Map<Schedule, Run>();
    const passes = (schedule: Schedule) => {
      const own = packed.get(schedule);
      return own !== undefined && this.#trials.plainFailure(own, schedule) === undefined;
    };
    // What has passed does not wait until what has failed is confirmed.
    for (const schedule of batch.toSorted((a, b) => Number(passes(b)) - Number(passes(a)))) {
      const own = packed.get(schedule);
      if (await early.get(schedule)) continue;
      // What there was no time for has not been tried.
      if (schedule !== batch[0] && own === undefined && isOver()) this.#queue.disclaim(schedule);
      else await this.#explore(registry, schedule, { packed: own });
    }
  }

  /**
   * What has plainly failed in a run of several schedules is run again before that run has ended; answers whether it was.
   * One after the other: the next one may only repeat a finding.
   */
  #exploreEarly(registry: StepRegistry, schedule: Schedule, run: Run): Promise<boolean> {
    const failure = this.#trials.plainFailure(run, schedule);
    if (!failure) return Promise.resolve(false);
    const isKnown = () => this.#isEnough || this.#book.has(schedule, [failure]) || !this.#time.hasTime(1);
    const explored = this.#exploringEarly.then(async () => {
      if (isKnown()) return false;
      this.#options.onSuspect?.(schedule, failure);
      await this.#exploreAlone(registry, schedule, { run, failure });
      return true;
    });
    this.#exploringEarly = explored.then(
      () => undefined,
      () => undefined,
    );
    return explored;
  }

  #unitsOf(schedule: Schedule): readonly string[] {
    const { registry } = this.#plain;
    return (registry && this.#packed?.unitsOf(registry, schedule)) ?? [];
  }

  /** What a story does to itself is no finding. */
  #narrow(how: string): void {
    this.#runner.narrow();
    this.#options.onCrowded?.();
    this.#options.warn?.(
      `Two runs at once interfere, so one runs at a time: ${how} Give each run its own port, files and database to run them in parallel.`,
    );
  }

  /** A search that was stopped need not end its runs well. */
  #excuse(error: unknown): void {
    if (this.#options.signal.aborted) return;
    this.#isBroken = true;
    throw error;
  }

  /** What the next run carries: the next schedule, and others beside it where tests are reported. */
  #take(registry: StepRegistry): Schedule[] {
    const first = this.#nextOne(registry);
    if (!first) return [];
    const { schedules = Number.POSITIVE_INFINITY } = this.#options;
    const filled = this.#packed?.fill(registry, first, this.#ahead(), this.#time.leftMs) ?? [first];
    const batch = filled.slice(0, schedules - this.#queue.run + 1);
    this.#queue.claimBeside(batch.slice(1));
    return batch;
  }

  *#ahead(): Generator<Schedule> {
    yield* this.#queue.ahead((outcome) => this.#trials.knows(outcome));
  }

  #nextOne(registry: StepRegistry): Schedule | undefined {
    return this.#mayGoOn ? this.#queue.next(() => this.#packed?.quickOf(registry, this.#ahead())) : undefined;
  }

  get #mayGoOn(): boolean {
    const { schedules = Number.POSITIVE_INFINITY, signal } = this.#options;
    return (
      !signal.aborted && !this.#isBroken && this.#time.leftMs >= 0 && !this.#isEnough && this.#queue.run < schedules
    );
  }

  get seconds(): number {
    return this.#time.elapsedMs / 1000;
  }

  get #isEnough(): boolean {
    return this.#book.findings.length >= (this.#options.stopAfter ?? Number.POSITIVE_INFINITY);
  }

  /**
   * Runs a schedule and keeps what it shows; answers whether it failed. `packed`: what it came to in a run that carried
   * others; a failure there that is new has to come again, alone.
   */
  async #explore(
    registry: StepRegistry,
    schedule: Schedule,
    { packed, ahead }: { packed?: Run | undefined; ahead?: readonly Promise<Trial>[] } = {},
  ): Promise<boolean> {
    const { signal, search, onSuspect } = this.#options;
    const isIdle = (failures: readonly Failure[]) => this.#isEnough || this.#book.has(schedule, failures);
    const isUndisturbed = schedule.length > 0 && schedule.every(isOutcome);
    // Where nothing is disturbed but the outcome, it is the run that others of this outcome are held against.
    if (packed && isUndisturbed) this.#trials.keep(schedule, packed);
    const known = packed ?? (isUndisturbed ? await this.#trials.undisturbed(schedule) : undefined);
    const { run, failures } = await this.#trials.of(registry, schedule, {
      ...{ known, rank: 'new', isIdle, isUrgent: ahead !== undefined },
      units: ahead && this.#unitsOf(schedule),
    });
    if (signal.aborted) return false;
    const [failure] = failures;
    const isNew = failure !== undefined && !isIdle(failures);
    if (isNew && !ahead) onSuspect?.(schedule, failure);
    if (packed && isNew) return this.#exploreAlone(registry, schedule, { run, failure });
    this.#count(schedule, failures.length > 0);
    const { steps } = readSteps(run.record, this.#plain.numbering);
    const before = registry.learn(schedule, steps);
    this.#queue.follow(following(schedule, { steps, known: before, search }));
    if (failure && !this.#isEnough && !this.#book.repeats(schedule, failures)) {
      await this.#confirmations.confirm(registry, schedule, { run, failure }, ahead);
    } else if (!failure) {
      this.#passed.add(keyOf(schedule));
      this.#expecting?.see(run, schedule);
    }
    return failure !== undefined;
  }

  /** What failed beside others and passes alone was disturbed by them. */
  async #exploreAlone(registry: StepRegistry, schedule: Schedule, beside: Failed): Promise<boolean> {
    if (schedule.every(isOutcome)) this.#trials.drop(schedule);
    if (!this.#time.hasTime(1)) return this.#leave(schedule, beside);
    const ahead = this.#confirmations.ahead(registry, schedule);
    const hasFailed = await this.#explore(registry, schedule, { ahead }).catch((error: unknown) => {
      if (!this.#options.signal.aborted) throw error;
      return false;
    });
    await Promise.allSettled(ahead);
    // What was cut off, or kept from beginning, has shown nothing.
    if (!hasFailed && this.#options.signal.aborted) return this.#leave(schedule, beside);
    if (!hasFailed) this.#packed?.disturbed(registry, schedule);
    return hasFailed;
  }

  async #leave(schedule: Schedule, failed: Failed): Promise<true> {
    this.#count(schedule, true);
    await this.#confirmations.leave(schedule, failed);
    return true;
  }

  #count(schedule: Schedule, hasFailed: boolean): void {
    for (const { deviation } of schedule) {
      const { run, failed } = this.#counts[deviation] ?? { run: 0, failed: 0 };
      this.#counts[deviation] = { run: run + 1, failed: failed + (hasFailed ? 1 : 0) };
    }
  }
}
