import type { Clock } from '../../base/clock/clock.ts';
import { pause } from '../../base/clock/waits.ts';
import { distinct } from '../../base/text.ts';
import { unitKey } from '../../control/units.ts';
import { contextOf, hasAccount, type RunContext, type RunRecord, readRecord, type UnitRow } from './run-record.ts';
import type { Preparation, RunSite } from './runner.ts';

interface UnitLook {
  context: RunContext;
  clock: Clock;
  everyMs: number;
  isOver(rows: readonly UnitRow[]): boolean | Promise<boolean>;
}

type Watch = Required<Pick<Preparation, 'end' | 'over'>>;

export function watchUnits({ context, clock, everyMs, isOver }: UnitLook): Watch {
  const [over, ended] = [new AbortController(), new AbortController()];
  const look = async () => {
    while (!ended.signal.aborted) {
      await pause(clock, everyMs, ended.signal).catch(() => undefined);
      if (ended.signal.aborted) return;
      const { data } = await context.control('listUnits', {});
      if (await isOver(data)) return over.abort();
    }
  };
  const looking = look();
  looking.catch(() => undefined);
  return {
    end() {
      ended.abort();
      return looking;
    },
    over: over.signal,
  };
}

interface HangWatch {
  /** The time in milliseconds after which a test counts as hung. Undefined while that is unknown. */
  limitOf: ((unit: string) => number) | undefined;
  clock: Clock;
  /** Running tests whose results are already known. `undefined` in the set stands for a whole command. */
  known?(): ReadonlySet<string | undefined>;
}

interface HungWatch extends Watch {
  hung: ReadonlySet<string>;
}

export interface WatchedRun extends HungWatch {
  readUnits(): Promise<UnitsOnRecord>;
}

/** Watches the tests of a run. `carrying`: the tests whose records are read; empty means all. */
export function watchRun(
  { context, violations }: RunSite,
  carrying: ReadonlySet<string>,
  watch: HangWatch,
): WatchedRun {
  const { keep, read } = unitRecords(context, carrying);
  if (violations) violations.onReplace = keep;
  return { ...watchHangs(context, watch), readUnits: read };
}

const LOOK_MS = 250;
/** A runner starts processes between files, so a pause of this length is normal. Milliseconds. */
const QUIET_MS = 5000;

/** Ends a run when every running test is known or has exceeded its limit. */
export function watchHangs(context: RunContext, { clock, limitOf, known }: HangWatch): HungWatch {
  const hung = new Set<string>();
  let last = { seen: '', since: clock.real() };
  const isOver = (rows: readonly UnitRow[]) => {
    const now = clock.real();
    const clear = known?.() ?? new Set();
    if (clear.has(undefined)) return true;
    const open = rows.filter(({ ended }) => ended === null);
    for (const row of open) {
      if (limitOf && now - Date.parse(row.started) > limitOf(unitKey(row))) hung.add(unitKey(row));
    }
    if (open.length === 0 || !open.every((row) => clear.has(unitKey(row)) || hung.has(unitKey(row)))) return false;
    const seen = `${rows.length} ${open.length}`;
    if (seen !== last.seen) last = { seen, since: now };
    return now - last.since >= QUIET_MS;
  };
  return { ...watchUnits({ context, clock, everyMs: LOOK_MS, isOver }), hung };
}

export interface UnitsOnRecord {
  units: UnitRow[];
  /** By test. The record of the whole run is in the run itself. */
  records: Map<string, RunRecord>;
  /** The record of the whole run before each reset and restore. */
  before: RunRecord[];
}

export const NO_UNITS: UnitsOnRecord = { units: [], records: new Map(), before: [] };

interface Phase {
  units: Map<string, RunRecord>;
  whole: RunRecord;
}

/**
 * Reads the records of tests at the end and before each reset and restore, which would delete them. `keys`: the tests whose
 * records are read; empty means all.
 */
function unitRecords(context: RunContext, keys: ReadonlySet<string>) {
  const phases: Promise<Phase>[] = [];
  const listUnits = async () => (await context.control('listUnits', {})).data.reverse();
  const recordsOf = async (units: readonly UnitRow[]) => {
    const own = units.filter((row) => keys.size === 0 || keys.has(unitKey(row)));
    // After a reset, ids repeat. They belong to the newest account.
    const owners = new Map(units.flatMap((row) => row.account_ids.map((id) => [id, row])));
    const recordOfUnit = async (row: UnitRow) => {
      const ids = [...new Set(row.account_ids)].filter((id) => owners.get(id) === row);
      const all = await Promise.all(ids.map((id) => recordOf(id, context)));
      return [unitKey(row), added(all.flatMap((each) => each ?? []))] as const;
    };
    return new Map(await Promise.all(own.map(recordOfUnit)));
  };
  const phaseNow = async () => ({ units: await recordsOf(await listUnits()), whole: await readRecord(context) });
  return {
    /** Errors are reported at the end, because the suite's own reset must not fail. */
    async keep(): Promise<void> {
      const phase = phaseNow();
      phases.push(phase);
      await phase.catch(() => undefined);
    },
    async read(): Promise<UnitsOnRecord> {
      const units = await listUnits();
      const last = await recordsOf(units);
      const before = await Promise.all(phases);
      const all = [...before.map((phase) => phase.units), last];
      const recordOfAll = (name: string) => joined(all.flatMap((each) => each.get(name) ?? []));
      const records = new Map([...last.keys()].map((name) => [name, recordOfAll(name)]));
      return { units, records, before: before.map(({ whole }) => whole) };
    },
  };
}

async function recordOf(id: string, run: RunContext): Promise<RunRecord | undefined> {
  const context = contextOf(id, run);
  return (await hasAccount(context)) ? readRecord(context) : undefined;
}

export function added(all: readonly RunRecord[]): RunRecord {
  return {
    accounts: all.flatMap(({ accounts = [] }) => accounts),
    units: all.flatMap(({ units = [] }) => units),
    requests: all.flatMap(({ requests }) => requests),
    jobs: all.flatMap(({ jobs }) => jobs),
    deliveries: all.flatMap(({ deliveries }) => deliveries),
    ledger: all.flatMap(({ ledger }) => ledger),
    findings: all.flatMap(({ findings }) => findings),
  };
}

export function partOf(record: RunRecord, rows: readonly UnitRow[], isOwn: boolean): RunRecord {
  const ids = new Set(rows.flatMap((row) => row.account_ids));
  const isOf = (id: string | null | undefined) => ids.has(id ?? '') === isOwn;
  const asked = record.requests.filter(({ account_id: id }) => ids.has(id ?? ''));
  const subjects = new Set(asked.flatMap(({ job_ids: jobs, run_id: run }) => [...jobs, run ?? '']).filter(Boolean));
  const deliveries = record.deliveries.filter(({ subject }) => subjects.has(subject ?? ''));
  const endpoints = new Set(deliveries.map(({ endpoint_id: id }) => id));
  return {
    accounts: (record.accounts ?? []).filter(({ id }) => isOf(id)),
    units: (record.units ?? []).filter((row) => rows.includes(row) === isOwn),
    requests: record.requests.filter(({ account_id: id }) => isOf(id)),
    jobs: record.jobs.filter(({ account_id: id }) => isOf(id)),
    deliveries: record.deliveries.filter(({ endpoint_id: id }) => endpoints.has(id) === isOwn),
    ledger: record.ledger.filter(({ account_id: id }) => isOf(id)),
    findings: record.findings.filter(({ account_id: id }) => isOf(id)),
  };
}

/** Joins the records between resets. A restore brings back earlier records. */
export function joined(phases: readonly RunRecord[]): RunRecord {
  const { requests, jobs, deliveries, findings, ledger } = added(phases);
  // Only the last books count: earlier ones belong to other accounts or were restored.
  const last = phases.findLast((phase) => phase.requests.length > 0);
  return {
    requests: distinct(requests),
    jobs: distinct(jobs),
    deliveries: distinct(deliveries),
    findings: distinct(findings),
    ledger: last?.ledger ?? ledger,
  };
}
