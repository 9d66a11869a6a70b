import path from 'node:path';
import type { Clock } from '../../base/clock/clock.ts';
import type { LieOrder, LieSwitch, ReachedLie } from '../../client/lie-relay.ts';
import { lieRow } from '../../control/lies/lie-table.ts';
import { unitKey } from '../../engine/accounts/units.ts';
import { maskedState } from '../app/judge.ts';
import type { RunRecord, UnitRow } from '../runner/run-record.ts';
import { type Run, RunFault, type Runner, type RunSite } from '../runner/runner.ts';
import { joined } from '../runner/unit-records.ts';
import { UnitsOfRun } from '../runner/unit-watch.ts';
import type { MeasuredRun, MeasureOrder, MeasureWorld, ReachedSite, UnitEnd } from './measured-run.ts';
import { certainSites, type Evidence, isPoll, NO_EVIDENCE } from './run-evidence.ts';

export interface RunnerWorldOptions {
  runner: Runner;
  /** What the whole is called, where nothing reports units. */
  whole: string;
  clock: Clock;
  /** Fields of the probe that are not compared. */
  mask: readonly string[];
  /** The folder that paths of test files start from. */
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
    const { clock, runner } = this.#options;
    let evidence: Evidence | undefined;
    const carrying = new Set(armed.flatMap(({ unit }) => unit ?? []));
    const units = new UnitsOfRun({ carrying, limitOf, clock });
    const running = runner.run({
      limitMs,
      trace: trace === undefined ? undefined : { title: trace, failure: trace },
      prepare: async (site: RunSite) => {
        const { lies } = site;
        if (!lies) throw new RunFault('This emulator is of another process, in which no lie can be armed.');
        lies.setDead(isDead);
        await lies.observe(armed.length === 0 && !isDead);
        await lies.arm(armed);
        const watched = units.begin(site, () => refusedUnits(armed, lies));
        const read = async () => {
          await watched.read?.();
          evidence = {
            ...units.found,
            reached: lies.reached(),
            acted: lies.told(),
            elsewhere: lies.elsewhere?.() ?? 0,
          };
        };
        return { ...watched, read };
      },
    });
    const run = await running.finally(() => units.end());
    const isObserved = armed.length === 0 && !isDead;
    return { ...this.#measured(run, isObserved, evidence ?? NO_EVIDENCE), hung: units.hung };
  }

  close(): Promise<void> {
    return this.#options.runner.close();
  }

  /** In the baseline run the whole is a unit where it meets what no test does; under a lie it may carry that. */
  #measured(
    run: Run,
    isObserved: boolean,
    { units: rows, reached: noted, acted, elsewhere, records, before }: Evidence,
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
      acted: new Set(acted.filter(({ times }) => times > 0).map(({ id }) => id)),
      refused: new Set(acted.filter(({ refused }) => refused > 0).map(({ id }) => id)),
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

/** The units whose receivers have refused the lie that they carry; undefined for a command. */
function refusedUnits(armed: readonly LieOrder[], lies: LieSwitch): Set<string | undefined> {
  const refused = new Set(lies.told().flatMap((lie) => (lie.refused > 0 ? [lie.id] : [])));
  return new Set(armed.filter(({ id }) => refused.has(id)).map(({ unit }) => unit));
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

/** Tests of one name in several files differ by their files. */
function named(units: readonly UnitEnd[]): UnitEnd[] {
  const count = (name: string) => units.filter((each) => each.name === name).length;
  return units.map((each) =>
    count(each.name) > 1 && each.file ? { ...each, name: `${each.file}: ${each.name}` } : each,
  );
}
