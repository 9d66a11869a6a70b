import path from 'node:path';
import { unitKey } from '../accounts/units.ts';
import type { WireAnswer } from '../client/call-operation.ts';
import type { Clock } from '../clock/clock.ts';
import { maskedState } from '../explore/judge.ts';
import { lieRow } from '../faults/lies/lie-table.ts';
import { type RunContext, type RunRecord, readRecord } from '../runs/run-record.ts';
import {
  type LieOrder,
  type LieSwitch,
  type ReachedLie,
  type Run,
  RunFault,
  type Runner,
  type RunSite,
  type ToldLie,
} from '../runs/runner.ts';
import type { ArmedLie, MeasuredRun, MeasureOrder, MeasureWorld, ReachedSite, UnitEnd } from './measured-run.ts';
import { RunWatch } from './run-watch.ts';

/** A test as the fixtures have reported it. */
type UnitRow = WireAnswer<'listUnits'>['data'][number];

/** What is read of an emulator at the end of a run. */
interface Evidence {
  units: UnitRow[];
  reached: readonly ReachedLie[];
  told: readonly ToldLie[];
  /** Requests of emulators of the suite's own. */
  elsewhere: number;
  /** By unit; that of the whole run is in the run itself. */
  records: Map<string, RunRecord>;
}

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
        await lies.arm(armed.map(wired));
        const read = async () => {
          evidence = await readEvidence(lies, context, armed);
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
    const all = evidence ?? { units: [], reached: [], told: [], elsewhere: 0, records: new Map() };
    return { ...this.#measured(run, isObserved, all), hung: new Set(watch?.hung) };
  }

  close(): Promise<void> {
    return this.#options.runner.close();
  }

  /** On the truth the whole is a unit where it meets what no test does; under a lie it may carry that. */
  #measured(
    run: Run,
    isObserved: boolean,
    { units: rows, reached, told, elsewhere, records }: Evidence,
  ): Omit<MeasuredRun, 'hung'> {
    const { whole, folder } = this.#options;
    const ends = rows
      .filter(({ outcome }) => outcome !== 'skipped')
      .map((row) => endOf(row, { reached, records, folder }));
    const loose = reached.filter(({ unit }) => unit === undefined);
    const { record, failure, output, ms, began } = run;
    const requests = countOf(record) + elsewhere;
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
        isMissing: /exit code 127/.test(failure?.message ?? ''),
        output: [output, run.check].filter(Boolean).join('\n'),
      },
      ...{ ms, began, requests, trace: run.trace },
      told: new Set(told.filter(({ times }) => times > 0).map(({ id }) => id)),
      refused: new Set(told.filter(({ refused }) => refused > 0).map(({ id }) => id)),
      seen: new Map(
        [...records, [whole, record] as const].map(([unit, each]) => [unit, this.#seen(each, run, unit === whole)]),
      ),
      records: new Map([...records, [whole, record]]),
    };
  }

  /** What a unit asked for and what its receivers answered, each once, and of the whole the state and the check. */
  #seen({ requests, deliveries }: RunRecord, run: Run, isWhole: boolean): string {
    const asked = requests.map(({ method, path: at, request }) => `${method} ${at} ${request ?? ''}`);
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

function wired({ id, lie, field, site, unit }: ArmedLie): LieOrder {
  return {
    ...{ id, lie },
    ...(field === undefined ? {} : { field }),
    ...(site === undefined ? {} : { site }),
    ...(unit === undefined ? {} : { unit }),
  };
}

/** Records are read of units that carry a lie, and on the truth of all. */
async function readEvidence(lies: LieSwitch, context: RunContext, armed: readonly ArmedLie[]): Promise<Evidence> {
  const { data: units } = await context.control('listUnits', {});
  const carrying = new Set(armed.map(({ unit }) => unit));
  const wanted = units.filter((row) => carrying.size === 0 || carrying.has(unitKey(row)));
  const records = await Promise.all(
    wanted.map(async (row) => [unitKey(row), await recordOf(row.account_ids, context)] as const),
  );
  return {
    units: units.reverse(),
    reached: lies.reached(),
    told: lies.told(),
    elsewhere: lies.elsewhere?.() ?? 0,
    records: new Map(records),
  };
}

/** What is on record of all accounts of a unit. */
async function recordOf(ids: readonly string[], { control }: RunContext): Promise<RunRecord> {
  const all = await Promise.all(ids.map((id) => readRecord({ control, scope: id, accountId: id })));
  return {
    requests: all.flatMap(({ requests }) => requests),
    jobs: all.flatMap(({ jobs }) => jobs),
    deliveries: all.flatMap(({ deliveries }) => deliveries),
    ledger: all.flatMap(({ ledger }) => ledger),
    findings: all.flatMap(({ findings }) => findings),
  };
}

function endOf(
  row: UnitRow,
  { reached, records, folder }: Pick<Evidence, 'reached' | 'records'> & { folder: string },
): UnitEnd {
  const { name, file, line, outcome, error, started, ended, exclusive } = row;
  const unit = unitKey(row);
  const record = records.get(unit);
  return {
    ...{
      unit,
      name,
      isWhole: false,
      file: file === null ? undefined : path.relative(folder, file),
      line: line ?? undefined,
    },
    outcome: outcome === 'passed' || outcome === 'failed' ? outcome : 'open',
    ms: ended === null ? 0 : Date.parse(ended) - Date.parse(started),
    error: error ?? undefined,
    requests: record ? countOf(record) : 0,
    exclusive,
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
