import type { Clock } from '../base/clock/clock.ts';
import type { ReportCard } from '../control/receiver/report-card.ts';
import { ScheduleRunner } from './app/apply-schedule.ts';
import { makeReport, type SearchProgress } from './app/explore-report.ts';
import { type SearchOptions, SearchRun } from './app/search-run.ts';
import type { Again, Replay } from './app/token.ts';
import { statementOf } from './broken-statement.ts';
import type { CheckBaseline } from './check-baseline.ts';
import type { PartName, PartReports } from './check-report.ts';
import type { CheckSettings } from './check-settings.ts';
import { LEFT_OUT } from './make-check-report.ts';
import type { ShownCheck } from './print-check.ts';
import { Turns } from './runner/command-runner.ts';
import { type Run, RunFault, type Runner, type RunOrder, type RunTrace } from './runner/runner.ts';
import { UnevenRuns } from './runner/uneven-runs.ts';
import type { DriftReport } from './service/drift-report.ts';
import { SharedPlain, sharedSuite } from './shared-plain.ts';
import { statementRow } from './statements.ts';
import { shortfallOf } from './tests/gates.ts';
import { type MeasureProgress, type RunSuite, suiteOf } from './tests/measured-run.ts';
import { Measurement } from './tests/measurement.ts';
import { bySite, survivorsOf } from './tests/mutate-report.ts';

export interface CheckRunOptions extends Pick<SearchOptions, 'onSuspect' | 'onConfirmed'> {
  settings: CheckSettings;
  version: string;
  /** What is run, in words. */
  command: string;
  /** The folder that paths of test files start from. */
  folder: string;
  again: Again | undefined;
  /** Findings of earlier runs, and keys of lies that survived: tried first. */
  saved: readonly Replay[];
  survivors: readonly string[];
  baseline: CheckBaseline | undefined;
  /** Runs at the same time of a suite that reports its tests, and of another. */
  jobs: { packed: number; whole: number };
  /** The time is over, or it was ended by hand. */
  signal: AbortSignal;
  warn(message: string): void;
  onTrace?: (trace: RunTrace) => void;
  onProgress?: (progress: CheckProgress) => void;
  /** The parts that need more than the command, where they are asked for. */
  receiver?: (() => Promise<ReportCard>) | undefined;
  service?: ((ended: AbortSignal) => Promise<DriftReport>) | undefined;
}

/** Runs with nothing changed in which a test has to meet a lie's site each time. */
const LEAST_BASELINE_RUNS = 2;

/** How far a run is. */
export interface CheckProgress {
  scenarios: number;
  /** Scenarios and lies that there are to try, as far as that is known. */
  all: number;
  lies: number;
  planned: number;
  findings: number;
  elapsedMs: number;
}

/** A runner of which as many runs go on at once as there is room for, whichever part they are of. */
class TurnRunner implements Runner {
  readonly #runner: Runner;
  readonly #turns: Turns;
  readonly #signal: AbortSignal;
  isNarrow = false;

  constructor(runner: Runner, jobs: number, signal: AbortSignal) {
    this.#runner = runner;
    this.#signal = signal;
    this.#turns = new Turns(jobs);
  }

  get hasApp(): boolean {
    return this.#runner.hasApp;
  }

  run(order: RunOrder): Promise<Run> {
    return this.#turns.take(order, async () => {
      // What begins now would only be ended.
      if (this.#signal.aborted) throw new RunFault('The time is over.');
      return this.#runner.run(order);
    });
  }

  /** From now on one at a time. */
  narrow(): void {
    this.isNarrow = true;
    this.#turns.narrow();
  }
}

/** One run of all parts; what it has come to can be read at any time. */
export class CheckRun {
  readonly faults: Partial<Record<PartName, string>> = {};
  readonly #options: CheckRunOptions;
  readonly #clock: Clock;
  /** Findings of which it was said that they were found. */
  #confirmed = 0;
  readonly #turns: TurnRunner;
  readonly #plain: SharedPlain;
  readonly #began: number;
  readonly #search: SearchRun | undefined;
  readonly #measurement: Measurement | undefined;
  /** Resolves when the plain runs of `app` are made, or cannot be. */
  readonly #prepared: Promise<void>;
  #isPrepared: () => void = () => {};
  #uneven: UnevenRuns | undefined;
  #card: ReportCard | undefined;
  #drift: DriftReport | undefined;
  #done: Pick<CheckProgress, 'lies' | 'planned'> = { lies: 0, planned: 0 };
  /** How many there are to try. */
  #scenarios = 0;

  constructor(options: CheckRunOptions, runner: Runner, clock: Clock) {
    const { settings, command: whole, folder } = options;
    this.#clock = clock;
    this.#options = options;
    this.#prepared = new Promise((resolve) => {
      this.#isPrepared = resolve;
    });
    this.#began = clock.real();
    this.#turns = new TurnRunner(runner, options.jobs.packed, options.signal);
    const about = { clock, whole, mask: settings.app.mask, folder };
    const schedules = new ScheduleRunner(this.#turns, clock, settings.app);
    this.#plain = new SharedPlain({ ...about, schedules });
    if (this.#asks('app')) this.#search = new SearchRun(this.#plain, clock, this.#searchOptions());
    if (this.#asks('tests')) {
      this.#measurement = this.#measured(suiteOf({ ...about, runner: this.#turns }));
    }
    for (const part of ['app', 'tests'] as const) {
      if (settings.isLeftOut[part]) this.faults[part] = LEFT_OUT;
    }
  }

  /** Seconds since it began. */
  get seconds(): number {
    return (this.#clock.real() - this.#began) / 1000;
  }

  /** What a page shows beside the report. */
  get shown(): ShownCheck {
    const { findings = [], unstable = [] } = this.#search?.result ?? {};
    return {
      scenarios: new Map([...findings, ...unstable].map((each) => [each.token, each.shown])),
      lies: this.#measurement,
    };
  }

  get trace(): RunTrace | undefined {
    return this.#measurement?.run?.trace;
  }

  /** What is to be tried first the next time, and lies that no longer are, as tests have caught them. */
  get remembered(): { tokens: string[]; caught: string[] } {
    const { findings = [], unconfirmed = [] } = this.#search?.result ?? {};
    const report = this.#measurement?.report();
    const survivors = report ? survivorsOf(report) : [];
    const caught = bySite(report?.lies ?? []).filter(({ verdict }) => verdict === 'noticed');
    const tokens = [...[...findings, ...unconfirmed].map(({ token }) => token), ...survivors.map(({ key }) => key)];
    return { tokens, caught: caught.map(({ key }) => key) };
  }

  /** Of one finding that fails again, and now breaks another statement than it did: what became of the first. */
  get movedOn(): string[] {
    const first = statementRow(this.#options.settings.replay?.statement ?? 0);
    const [finding] = this.#search?.result.findings ?? [];
    const now = finding && statementRow(finding.statement);
    if (!first || !now || now === first) return [];
    const { schedule, kind } = finding;
    const all = this.#search?.replayed.map((failure) => statementOf({ schedule, ...failure })) ?? [];
    // A story that has ended early may not have come to it.
    const isEarly = kind === 'exit' || kind === 'hang';
    const what = all.includes(first.id)
      ? 'is broken too'
      : isEarly
        ? 'is not looked at: the run failed before'
        : 'passed';
    const elsewhere = `the finding now shows as statement ${now.id} (${now.text})`;
    return [`Statement ${first.id} (${first.text}), which it broke first, ${what}; ${elsewhere}.`];
  }

  /** What the parts have come to until now. */
  reports(): PartReports {
    const { settings } = this.#options;
    const { spend } = this.#plain;
    const isMeasured = this.#measurement?.baselineRuns !== undefined && this.faults.tests === undefined;
    return {
      ...(this.#search &&
        this.faults.app === undefined &&
        this.#search.result.plain.steps.length > 0 &&
        this.#appReport()),
      ...(isMeasured && this.#measurement && { tests: this.#measurement.report() }),
      ...(spend && settings.parts.includes('spend') && { spend }),
      ...(this.#card && { receiver: this.#card }),
      ...(this.#drift && { service: this.#drift }),
    };
  }

  /** Runs every part. Throws `RunFault` where the command by itself keeps all of them from it. */
  async run(): Promise<void> {
    const { receiver, service, settings } = this.#options;
    const app = this.#attempt('app', () => this.#runApp());
    const others = [
      this.#attempt('tests', () => this.#runTests()),
      this.#attempt('receiver', async () => {
        this.#card = await receiver?.();
      }),
      this.#attempt('service', async () => {
        this.#drift = await service?.(this.#options.signal);
      }),
    ];
    const needsPlain = !this.#search && !this.#measurement && settings.parts.includes('spend');
    if (needsPlain) others.push(this.#attempt('spend', () => this.#runPlain()));
    const ends = await Promise.allSettled([app, ...others]);
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  #asks(part: 'app' | 'tests'): boolean {
    const { parts, isLeftOut } = this.#options.settings;
    return parts.includes(part) && isLeftOut[part] !== true;
  }

  /** Why nothing can be checked, where the command by itself is the reason. */
  get #fault(): RunFault | undefined {
    return this.#uneven ?? this.#plain.fault();
  }

  /** What keeps one part from going on is no matter of the others, unless the command by itself is the reason. */
  async #attempt(part: PartName, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (this.#options.signal.aborted) return;
      if (!(error instanceof RunFault)) throw error;
      // What `app` has come to stands: its own baseline runs were the same.
      if (error instanceof UnevenRuns && !this.#search?.result.plain.steps.length) this.#uneven = error;
      const fault = this.#fault;
      if (fault) throw fault;
      // Of one part there is nothing else to report.
      if (this.#options.settings.parts.length === 1) throw error;
      this.faults[part] = error.message;
    } finally {
      if (part === 'app') this.#isPrepared();
    }
  }

  async #runApp(): Promise<void> {
    const { replay } = this.#options.settings;
    if (!this.#search) return;
    const show = ({ total }: SearchProgress) => {
      this.#scenarios = total;
      this.#show();
    };
    await (replay ? this.#search.replayAll([replay]) : this.#search.search(show));
  }

  async #runTests(): Promise<void> {
    if (!this.#measurement) return;
    await this.#prepared;
    if (this.#fault) return;
    // What the other part has made is enough.
    if (this.#search)
      this.#options.settings.tests.baselineRuns = Math.max(LEAST_BASELINE_RUNS, this.#plain.passed.length);
    await this.#measurement.measure();
    const shortfall = shortfallOf(this.#measurement.report(), this.#options.settings.tests);
    if (shortfall && this.#measurement.report().measured.told === 0) throw new RunFault(shortfall.message, 3);
  }

  async #runPlain(): Promise<void> {
    await this.#plain.measure();
    const fault = this.#plain.fault();
    if (fault) throw fault;
  }

  #searchOptions(): SearchOptions {
    const { settings, version, signal, warn, saved, jobs, onSuspect, onConfirmed, onTrace } = this.#options;
    return {
      ...settings.app,
      search: { ...settings.app.search, kills: this.#turns.hasApp },
      jobs: jobs.packed === 1 ? 1 : jobs.packed + 2,
      version,
      signal,
      warn,
      saved,
      sparesRefusals: true,
      statementOf,
      anyStory: settings.replay !== undefined,
      onCrowded: () => this.#turns.narrow(),
      onPrepared: () => this.#isPrepared(),
      onSuspect,
      onConfirmed: (finding) => {
        this.#confirmed += 1;
        onConfirmed?.(finding);
      },
      keepTrace: onTrace && ((_, trace) => onTrace(trace)),
    };
  }

  #measured(suite: RunSuite): Measurement {
    const { settings, version, command, baseline, survivors, signal } = this.#options;
    const clock = this.#clock;
    const run = sharedSuite(suite, this.#plain, () => this.#measurement?.baselineRuns === undefined);
    return new Measurement({
      run,
      clock,
      settings: settings.tests,
      named: { version, command },
      known: { baseline: baseline?.tests, survivors },
      signal,
      jobsFor: (reportsUnits) => this.#jobsFor(reportsUnits),
      progress: (done) => this.#noteLies(done),
    });
  }

  /** Beside each other they were seen to run by the part before. */
  #jobsFor(reportsUnits: boolean): number {
    const { jobs } = this.#options;
    if (this.#turns.isNarrow) return 1;
    return reportsUnits || (this.#search?.result.plain.steps.length ?? 0) > 0 ? jobs.packed : jobs.whole;
  }

  #appReport(): Pick<PartReports, 'app'> {
    const { settings, version, command, again } = this.#options;
    if (!this.#search) return {};
    const { result, seconds, tried } = this.#search;
    const { seed, bound } = settings.app.search;
    const about = { version, command, seed, bound, seconds };
    const report = makeReport({ ...about, ...(again && { again: { ...again, isCheck: true } }) }, result);
    return { app: { ...report, ...tried } };
  }

  #noteLies({ done, planned }: MeasureProgress): void {
    this.#done = { lies: done, planned };
    this.#show();
  }

  #show(): void {
    const { schedules_run: scenarios = 0, findings = [] } = this.#search?.result ?? {};
    const elapsedMs = this.#clock.real() - this.#began;
    const all = this.#scenarios + this.#done.planned;
    const found = Math.max(findings.length, this.#confirmed);
    this.#options.onProgress?.({ scenarios, all, findings: found, ...this.#done, elapsedMs });
  }
}
