import { type Clock, pause } from '../../base/clock/clock.ts';
import { testKey } from '../../engine/accounts/tests.ts';
import type { RunContext, RunRecord, TestRow } from './run-record.ts';
import type { Preparation } from './runner.ts';

interface TestLook {
  context: RunContext;
  clock: Clock;
  everyMs: number;
  isOver(rows: readonly TestRow[]): boolean | Promise<boolean>;
}

type Watch = Required<Pick<Preparation, 'end' | 'over'>>;

export function watchTests({ context, clock, everyMs, isOver }: TestLook): Watch {
  const [over, ended] = [new AbortController(), new AbortController()];
  const look = async () => {
    while (!ended.signal.aborted) {
      await pause(clock, everyMs, ended.signal).catch(() => undefined);
      if (ended.signal.aborted) return;
      const { data } = await context.control('listTests', {});
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
  /** The time in milliseconds after which a test counts as hung. */
  limitOf(test: string): number;
  clock: Clock;
}

const LOOK_MS = 250;
/** A runner starts processes between files, so a pause of this length is normal. Milliseconds. */
const QUIET_MS = 5000;

/** Ends a run when every running test has exceeded its limit. */
export function watchHangs(context: RunContext, { clock, limitOf }: HangWatch): Watch {
  const hung = new Set<string>();
  let last = { seen: '', since: clock.real() };
  const isOver = (rows: readonly TestRow[]) => {
    const now = clock.real();
    const open = rows.filter(({ ended }) => ended === null);
    for (const row of open) {
      if (now - Date.parse(row.started) > limitOf(testKey(row))) hung.add(testKey(row));
    }
    if (open.length === 0 || !open.every((row) => hung.has(testKey(row)))) return false;
    const seen = `${rows.length} ${open.length}`;
    if (seen !== last.seen) last = { seen, since: now };
    return now - last.since >= QUIET_MS;
  };
  return watchTests({ context, clock, everyMs: LOOK_MS, isOver });
}

export function combineRecords(all: readonly RunRecord[]): RunRecord {
  return {
    accounts: all.flatMap(({ accounts = [] }) => accounts),
    tests: all.flatMap(({ tests = [] }) => tests),
    requests: all.flatMap(({ requests }) => requests),
    jobs: all.flatMap(({ jobs }) => jobs),
    deliveries: all.flatMap(({ deliveries }) => deliveries),
    ledger: all.flatMap(({ ledger }) => ledger),
    findings: all.flatMap(({ findings }) => findings),
  };
}

export function partOf(record: RunRecord, rows: readonly TestRow[], isOwn: boolean): RunRecord {
  const ids = new Set(rows.flatMap((row) => row.account_ids));
  const isOf = (id: string | null | undefined) => ids.has(id ?? '') === isOwn;
  const asked = record.requests.filter(({ account_id: id }) => ids.has(id ?? ''));
  const subjects = new Set(asked.flatMap(({ job_ids: jobs, run_id: run }) => [...jobs, run ?? '']).filter(Boolean));
  const deliveries = record.deliveries.filter(({ subject }) => subjects.has(subject ?? ''));
  const endpoints = new Set(deliveries.map(({ endpoint_id: id }) => id));
  return {
    accounts: (record.accounts ?? []).filter(({ id }) => isOf(id)),
    tests: (record.tests ?? []).filter((row) => rows.includes(row) === isOwn),
    requests: record.requests.filter(({ account_id: id }) => isOf(id)),
    jobs: record.jobs.filter(({ account_id: id }) => isOf(id)),
    deliveries: record.deliveries.filter(({ endpoint_id: id }) => endpoints.has(id) === isOwn),
    ledger: record.ledger.filter(({ account_id: id }) => isOf(id)),
    findings: record.findings.filter(({ account_id: id }) => isOf(id)),
  };
}
