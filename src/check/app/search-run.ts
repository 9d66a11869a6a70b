import type { Clock } from '../../base/clock/clock.ts';
import { PacedRunner } from '../runner/paced-runner.ts';
import { RunFault, type Runner } from '../runner/runner.ts';
import type { ScheduleOrder } from './apply-schedule.ts';
import { type ConfirmationOptions, Confirmations, type SearchEnd } from './confirmations.ts';
import { ExpectedSuccesses, singlesOf } from './expected-success.ts';
import { type ExploreReport, NOTHING_RUN, type SearchProgress, type SearchResult } from './explore-report.ts';
import { type Failure, type Finding, FindingBook } from './finding-book.ts';
import type { Standards } from './judge.ts';
import { PackedRuns } from './packed-runs.ts';
import { type HowExplored, PackedSearch } from './packed-search.ts';
import { PlainRuns } from './plain-runs.ts';
import { readSteps } from './read-steps.ts';
import { isOutcome, keyOf, type Schedule, type StepRegistry } from './schedule.ts';
import { following, hashOf, isSought, plannedSchedules } from './search-order.ts';
import { type Step, storyMark } from './step.ts';
import type { Replay } from './token.ts';
import { Trials } from './trials.ts';

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

/** What confirming and shrinking may take beyond the budget. */
const OVERTIME = 1.1;

/** The time of a search. A run begins only where it will end in time, by the length of the plain run. */
export class SearchTime {
  /** Of a plain run, in milliseconds. */
  lengthMs = 0;
  readonly #clock: Pick<Clock, 'real'>;
  readonly #began: number;
  readonly #budgetMs: number;

  /** `budgetMs`: from now on; 0: no end. */
  constructor(clock: Pick<Clock, 'real'>, budgetMs: number) {
    this.#clock = clock;
    this.#began = clock.real();
    this.#budgetMs = budgetMs;
  }

  get elapsedMs(): number {
    return this.#clock.real() - this.#began;
  }

  /** What is left for something new that begins now, but for its own length. */
  get leftMs(): number {
    return this.#left(1, 1);
  }

  /** Whether so many runs, one after the other, end in time that confirm what was found. */
  hasTime(runs: number): boolean {
    return this.#left(OVERTIME, runs) >= 0;
  }

  #left(share: number, runs: number): number {
    if (this.#budgetMs === 0) return Number.POSITIVE_INFINITY;
    return this.#budgetMs * share - this.elapsedMs - runs * this.lengthMs;
  }
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
  #packed: PackedSearch | undefined;
  readonly #book = new FindingBook();
  readonly #counts: SearchResult['byDeviation'] = {};
  readonly #expecting: ExpectedSuccesses | undefined;
  readonly #done = new Set<string>();
  #planned: Schedule[] = [];
  /** Those of the plan that are this machine's, and one text for all of it. */
  #mine: Schedule[] = [];
  #followed: Schedule[] = [];
  #hash = NOTHING_RUN.schedulesHash;
  #preparedMs = 0;
  #isBroken = false;
  #next = 0;
  #run = 0;
  #ranFollowed = 0;

  constructor(runner: Runner<ScheduleOrder>, clock: Clock, options: SearchOptions) {
    this.#runner = new PacedRunner(runner, clock, options);
    this.#clock = clock;
    this.#time = new SearchTime(clock, options.budgetMs);
    this.#options = options;
    this.#expecting = options.sparesRefusals ? new ExpectedSuccesses() : undefined;
    const { budgetMs, warn = () => undefined } = options;
    const onCrowded = (how: string) => this.#narrow(how);
    this.#plain = new PlainRuns(this.#runner, options, { clock, budgetMs, jobs: options.jobs, warn, onCrowded });
    this.#trials = new Trials(this.#runner, this.#plain, options);
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
    this.#mine = all.filter((_, at) => at % shard.of === shard.index - 1);
    const mark = storyMark(registry.plain);
    const known = saved
      .filter(({ story, version }) => story === mark && version === this.#options.version)
      .map(({ schedule }) => schedule)
      .filter((schedule) => schedule.every((entry) => isSought(entry, registry.book(schedule), search)));
    this.#planned = [...known, ...this.#mine];
    if (registry.plain.some(({ site }) => site)) this.#packed = this.#packedSearch(Math.floor(jobs / 2));
    const lanes = Array.from({ length: jobs }, () => this.#work(registry, onProgress));
    // What breaks one ends the others, which are waited for: nothing is to go on behind the report.
    const ends = await Promise.allSettled(lanes);
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
    return this.result;
  }

  #packedSearch(mostWaiting: number): PackedSearch {
    const parts = { clock: this.#clock, mostWaiting, standards: this.#options };
    const runs = new PackedRuns(this.#runner, this.#plain, parts);
    return new PackedSearch({
      ...{ runs, trials: this.#trials, confirmations: this.#confirmations, book: this.#book, end: this.#end },
      onSuspect: this.#options.onSuspect,
      search: {
        explore: (registry, schedule, how) => this.#explore(registry, schedule, how),
        count: (schedule) => this.#count(schedule, true),
        disclaim: (schedule) => this.#disclaim(schedule),
      },
    });
  }

  get #end(): SearchEnd {
    const isEnded = () => this.#options.signal.aborted || this.#isBroken;
    return {
      signal: this.#options.signal,
      hasTime: (runs) => !isEnded() && this.#time.hasTime(runs),
      isOver: () => isEnded() || this.#time.leftMs < 0,
      isEnough: () => this.#isEnough,
    };
  }

  get #confirmations(): Confirmations {
    this.#confirming ??= new Confirmations({
      ...{ options: this.#options, plain: this.#plain, trials: this.#trials, book: this.#book, end: this.#end },
      packed: () => this.#packed?.runs,
      hasPassed: (schedule) => this.#passed.has(keyOf(schedule)),
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
      schedulesRun: this.#run,
      schedulesLeft: this.#mine.filter((schedule) => !this.#done.has(keyOf(schedule))).length,
      schedulesHash: this.#hash,
      schedulesFollowed: this.#ranFollowed,
      findings: this.#book.findings,
      unstable: this.#book.unstable,
      unconfirmed: this.#book.unconfirmed,
      byDeviation: Object.fromEntries(Object.entries(this.#counts).sort(([a], [b]) => (a < b ? -1 : 1))),
    };
  }

  /** What the report of a check has beside that. */
  get tried(): Pick<ExploreReport, 'planned_by_deviation' | 'expects_success'> {
    return { planned_by_deviation: singlesOf(this.#mine), expects_success: this.#expecting?.all ?? [] };
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
      this.#run += 1;
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
      const [first = []] = batch;
      const work = batch.length > 1 ? this.#packed?.explore(registry, batch) : this.#explore(registry, first);
      await work?.catch((error: unknown) => this.#excuse(error));
      const total = Math.min(
        this.#options.schedules ?? Number.POSITIVE_INFINITY,
        this.#planned.length + this.#followed.length,
      );
      onProgress({ run: this.#run, total, findings: this.#book.findings.length, elapsedMs: this.#time.elapsedMs });
    }
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
    const filled = this.#packed?.runs.fill(registry, first, this.#ahead(), this.#time.leftMs) ?? [first];
    const batch = filled.slice(0, schedules - this.#run + 1);
    for (const schedule of batch.slice(1)) this.#claim(schedule);
    const taken = new Set(batch);
    this.#ranFollowed += this.#followed.filter((each) => taken.has(each)).length;
    this.#followed = this.#followed.filter((each) => !taken.has(each));
    return batch;
  }

  /** What may run beside the next one: nothing under an outcome of which the undisturbed run is not known. */
  *#ahead(): Generator<Schedule> {
    const isReady = (each: Schedule) =>
      !this.#done.has(keyOf(each)) && (each.every(isOutcome) || this.#trials.knows(each.filter(isOutcome)));
    for (const each of this.#followed) if (isReady(each)) yield each;
    for (let at = this.#next; at < this.#planned.length; at += 1) {
      const planned = this.#planned[at];
      if (planned && isReady(planned)) yield planned;
    }
  }

  #claim(schedule: Schedule): void {
    this.#done.add(keyOf(schedule));
    this.#run += 1;
  }

  #disclaim(schedule: Schedule): void {
    this.#done.delete(keyOf(schedule));
    this.#run -= 1;
  }

  /** The next one that was not tried yet: what deviations brought about comes after all single deviations. */
  #nextOne(registry: StepRegistry): Schedule | undefined {
    if (!this.#mayGoOn) return undefined;
    for (;;) {
      const schedule = this.#packed?.runs.quickOf(registry, this.#ahead()) ?? this.#upcoming();
      if (!schedule) return undefined;
      if (this.#done.has(keyOf(schedule))) continue;
      this.#claim(schedule);
      return schedule;
    }
  }

  get #mayGoOn(): boolean {
    const { schedules = Number.POSITIVE_INFINITY, signal } = this.#options;
    return !signal.aborted && !this.#isBroken && this.#time.leftMs >= 0 && !this.#isEnough && this.#run < schedules;
  }

  #upcoming(): Schedule | undefined {
    const planned = this.#planned[this.#next];
    const isSingle = planned !== undefined && planned.filter((entry) => !isOutcome(entry)).length < 2;
    // One of each in turn, once every single deviation was tried.
    if (this.#followed.length > 0 && !isSingle && (this.#run % 2 === 0 || !planned)) {
      this.#ranFollowed += 1;
      return this.#followed.shift();
    }
    this.#next += 1;
    return planned;
  }

  get seconds(): number {
    return this.#time.elapsedMs / 1000;
  }

  get #isEnough(): boolean {
    return this.#book.findings.length >= (this.#options.stopAfter ?? Number.POSITIVE_INFINITY);
  }

  /** Runs a schedule and keeps what it shows; answers whether it failed. */
  async #explore(registry: StepRegistry, schedule: Schedule, { packed, ahead }: HowExplored = {}): Promise<boolean> {
    const { signal, search, onSuspect } = this.#options;
    const isIdle = (failures: readonly Failure[]) => this.#isEnough || this.#book.has(schedule, failures);
    const isUndisturbed = schedule.length > 0 && schedule.every(isOutcome);
    // Where nothing is disturbed but the outcome, it is the run that others of this outcome are held against.
    if (packed && isUndisturbed) this.#trials.keep(schedule, packed);
    const known = packed ?? (isUndisturbed ? await this.#trials.undisturbed(schedule) : undefined);
    const { run, failures } = await this.#trials.of(registry, schedule, {
      ...{ known, rank: 'new', isIdle, isUrgent: ahead !== undefined, packed: ahead && this.#packed?.runs },
    });
    if (signal.aborted) return false;
    const [failure] = failures;
    const isNew = failure !== undefined && !isIdle(failures);
    if (isNew && !ahead) onSuspect?.(schedule, failure);
    if (packed && isNew) return (await this.#packed?.exploreAlone(registry, schedule, { run, failure })) === true;
    this.#count(schedule, failures.length > 0);
    const { steps } = readSteps(run.record, this.#plain.numbering);
    this.#followed.push(...following(schedule, { steps, known: registry.learn(schedule, steps), search }));
    if (failure && !this.#isEnough && !this.#book.repeats(schedule, failures)) {
      await this.#confirmations.confirm(registry, schedule, { run, failure }, ahead);
    } else if (!failure) {
      this.#passed.add(keyOf(schedule));
      this.#expecting?.see(run, schedule);
    }
    return failure !== undefined;
  }

  #count(schedule: Schedule, hasFailed: boolean): void {
    for (const { deviation } of schedule) {
      const { run, failed } = this.#counts[deviation] ?? { run: 0, failed: 0 };
      this.#counts[deviation] = { run: run + 1, failed: failed + (hasFailed ? 1 : 0) };
    }
  }
}
