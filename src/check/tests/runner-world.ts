import path from 'node:path';
import type { Clock } from '../../base/clock/clock.ts';
import { pause } from '../../base/clock/waits.ts';
import type { LieOrder, LieSwitch, ReachedLie } from '../../client/lie-relay.ts';
import { lieRow } from '../../control/lies/lie-table.ts';
import { unitKey } from '../../engine/accounts/units.ts';
import { maskedState } from '../app/judge.ts';
import type { RunContext, RunRecord } from '../runner/run-record.ts';
import { type Run, RunFault, type Runner, type RunSite } from '../runner/runner.ts';
import type { MeasuredRun, MeasureOrder, MeasureWorld, ReachedSite, UnitEnd } from './measured-run.ts';
import { certainSites, type Evidence, isPoll, joined, NO_EVIDENCE, RunEvidence, type UnitRow } from './run-evidence.ts';

export interface RunnerWorldOptions {
  runner: Runner;
  /** What the whole is called, where nothing reports units. */
  whole: string;
  clock: Clock;
  /** Fields of the probe that are not compared. */
  mask: readonly string[];
  /** Paths of test files are given from here. */
  folder: string;
}

/** Measures a suite by running it: lies are armed before each run, and what became of them is read at its end. */
export class RunnerWorld implements MeasureWorld {
  readonly #options: RunnerWorldOptions;

  constructor(options: RunnerWorldOptions) {
    this.#options = options;
  }

  async run(order: MeasureOrder): Promise<MeasuredRun> {
    const { armed, isDead = false, limitMs, limitOf, trace } = order;
    let watch: RunWatch | undefined;
    let evidence: Evidence | undefined;
    const running = this.#options.runner.run({
      limitMs,
      trace: trace === undefined ? undefined : { title: trace, failure: trace },
      prepare: async ({ lies, context }: RunSite) => {
        if (!lies) throw new RunFault('This emulator is of another process, in which no lie can be armed.');
        lies.setDead(isDead);
        await lies.observe(armed.length === 0 && !isDead);
        await lies.arm(armed);
        const found = new RunEvidence({ lies, context, armed });
        lies.onReplace = () => found.keep();
        const read = async () => {
          evidence = await found.read();
        };
        watch = new RunWatch({ context, lies, clock: this.#options.clock, armed, limitOf });
        const watching = watch.start();
        const end = () => {
          watch?.end();
          return watching;
        };
        return { upAgain: async () => {}, end, read, over: watch.over };
      },
    });
    const run = await running.finally(() => watch?.end());
    const isObserved = armed.length === 0 && !isDead;
    return { ...this.#measured(run, isObserved, evidence ?? NO_EVIDENCE), hung: new Set(watch?.hung) };
  }

  close(): Promise<void> {
    return this.#options.runner.close();
  }

  /** On the truth the whole is a unit where it meets what no test does; under a lie it may carry that. */
  #measured(
    run: Run,
    isObserved: boolean,
    { units: rows, reached: noted, told, elsewhere, records, before }: Evidence,
  ): Omit<MeasuredRun, 'hung'> {
    const { whole, folder } = this.#options;
    const record = before.length === 0 ? run.record : joined([...before, run.record]);
    const reached = certainSites(noted, (unit) => (unit === undefined ? record : records.get(unit)));
    const ends = rows
      .filter(({ outcome }) => outcome !== 'skipped')
      .map((row) => endOf(row, { reached, records, folder }));
    const loose = reached.filter(({ unit }) => unit === undefined);
    const { failure, output, ms, began } = run;
    const requests = countOf(record) + elsewhere;
    const recorded = new Map([...records, [whole, record]]);
    const hasPassed = failure === undefined && run.check === undefined && run.probeFault === undefined;
    const end: UnitEnd = {
      ...{ unit: whole, name: whole, isWhole: true, outcome: hasPassed ? 'passed' : 'failed', ms },
      ...{ error: output, requests, exclusive: true, sites: sitesOf(ends.length === 0 ? reached : loose) },
    };
    const all = isObserved && ends.length > 0 && loose.length === 0 ? ends : [...ends, end];
    return {
      ...{
        units: named(all),
        isHung: failure?.kind === 'hang',
        hasPassed,
        isMissing: failure?.exitCode === 127,
        output: [output, run.check].filter(Boolean).join('\n'),
      },
      ...{ ms, began, requests, trace: run.trace },
      told: new Set(told.filter(({ times }) => times > 0).map(({ id }) => id)),
      refused: new Set(told.filter(({ refused }) => refused > 0).map(({ id }) => id)),
      seen: new Map([...recorded].map(([unit, each]) => [unit, this.#seen(each, run, unit === whole)])),
      records: recorded,
    };
  }

  /** What a unit asked for and what its receivers answered, each once, and of the whole the state and the check. */
  #seen({ requests, deliveries }: RunRecord, run: Run, isWhole: boolean): string {
    // Whether an app polls before its event comes is a matter of pace.
    const asked = requests
      .filter((each) => !isPoll(each))
      .map(({ method, path: at, request }) => `${method} ${at} ${request ?? ''}`);
    const answered = deliveries.map(({ type, response_status: status }) => `${type} ${status}`);
    const state = isWhole ? { probe: run.probe, check: run.check } : {};
    const all = { asked: [...new Set(asked)], answered: [...new Set(answered)], ...state };
    return unique(maskedState(all, run, this.#options.mask));
  }
}

/** Reads of one job, or of other ids, are the same once they are masked. */
function unique(state: string): string {
  const { asked = [], ...rest } = JSON.parse(state) as { asked?: string[] };
  return JSON.stringify({ asked: [...new Set(asked)], ...rest });
}

function endOf(
  row: UnitRow,
  { reached, records, folder }: Pick<Evidence, 'reached' | 'records'> & { folder: string },
): UnitEnd {
  const { name, file, line, outcome, error, started, ended, exclusive } = row;
  const unit = unitKey(row);
  const record = records.get(unit);
  return {
    ...{ unit, name, isWhole: false, exclusive, line: line ?? undefined },
    file: file === null ? undefined : path.relative(folder, file),
    outcome: outcome === 'passed' || outcome === 'failed' ? outcome : 'open',
    ms: ended === null ? 0 : Date.parse(ended) - Date.parse(started),
    error: error ?? undefined,
    requests: record ? countOf(record) : 0,
    sites: sitesOf(reached.filter((each) => each.unit === unit)),
  };
}

function countOf({ requests }: RunRecord): number {
  return requests.filter(({ path: at }) => at.startsWith('/v1')).length;
}

function sitesOf(reached: readonly ReachedLie[]): ReachedSite[] {
  // Liberties are tried wherever there is a request.
  const sites = reached
    .filter(({ lie }) => lieRow(lie))
    .map(({ lie, field, site }): [string, ReachedSite] => [`${lie} ${field} ${site}`, { lie, field, site }]);
  return [...new Map(sites).values()];
}

/** Tests of one name in several files are told apart by their files. */
function named(units: readonly UnitEnd[]): UnitEnd[] {
  const count = (name: string) => units.filter((each) => each.name === name).length;
  return units.map((each) =>
    count(each.name) > 1 && each.file ? { ...each, name: `${each.file}: ${each.name}` } : each,
  );
}

interface RunWatchParts {
  context: RunContext;
  lies: LieSwitch;
  clock: Clock;
  armed: readonly LieOrder[];
  /** After how many milliseconds a unit counts as one that never ends; undefined while that is unknown. */
  limitOf: ((unit: string) => number) | undefined;
}

const LOOK_MS = 250;
/** How long no test may have begun or ended before nothing else is expected: a runner starts processes between files. */
const QUIET_MS = 5000;

/**
 * Looks at the tests of a run while it goes on. A run is over, whatever still runs in it, when all of that is tests of
 * which all is known: their receiver has refused the lie, or they have taken longer than they may.
 */
class RunWatch {
  readonly #parts: RunWatchParts;
  readonly #over = new AbortController();
  readonly #ended = new AbortController();
  readonly #hung = new Set<string>();
  #seen = '';
  #since: number;

  constructor(parts: RunWatchParts) {
    this.#parts = parts;
    this.#since = parts.clock.real();
  }

  /** Aborted when the run is over. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** The tests that have taken longer than they may. */
  get hung(): ReadonlySet<string> {
    return this.#hung;
  }

  /** Looks again and again until the run is over or `end` is called. */
  async start(): Promise<void> {
    const { clock, context } = this.#parts;
    while (!this.#ended.signal.aborted) {
      await pause(clock, LOOK_MS, this.#ended.signal).catch(() => undefined);
      if (this.#ended.signal.aborted) return;
      const { data } = await context.control('listUnits', {});
      if (this.#isOver(data)) this.#over.abort();
      if (this.#over.signal.aborted) return;
    }
  }

  end(): void {
    this.#ended.abort();
  }

  #isOver(rows: readonly UnitRow[]): boolean {
    const refused = this.#refused();
    // A command is ended at once, and a test when no other is under way.
    if (refused.has(undefined)) return true;
    const open = rows.filter(({ ended }) => ended === null);
    this.#noteHung(open);
    const isKnown = (row: UnitRow) => refused.has(unitKey(row)) || this.#hung.has(unitKey(row));
    return open.length > 0 && open.every(isKnown) && this.#isQuiet(rows, open);
  }

  /** The units whose receivers have refused the lie that they carry; undefined for a command. */
  #refused(): Set<string | undefined> {
    const { armed, lies } = this.#parts;
    const refused = new Set(lies.told().flatMap((told) => (told.refused > 0 ? [told.id] : [])));
    return new Set(armed.filter(({ id }) => refused.has(id)).map(({ unit }) => unit));
  }

  #noteHung(open: readonly UnitRow[]): void {
    const { clock, limitOf } = this.#parts;
    if (!limitOf) return;
    for (const row of open) {
      if (clock.real() - Date.parse(row.started) > limitOf(unitKey(row))) this.#hung.add(unitKey(row));
    }
  }

  #isQuiet(rows: readonly UnitRow[], open: readonly UnitRow[]): boolean {
    const now = this.#parts.clock.real();
    const seen = `${rows.length} ${open.length}`;
    if (seen !== this.#seen) this.#since = now;
    this.#seen = seen;
    return now - this.#since >= QUIET_MS;
  }
}
