import path from 'node:path';
import type { LieOrder, LieSwitch, ReachedLie, ToldLie } from '../../client/lie-relay.ts';
import type { WireAnswer } from '../../control/call-operation.ts';
import { unitKey } from '../../engine/accounts/units.ts';
import { INBOX_PATH } from '../../engine/webhooks/inbox.ts';
import { hasAccount, type RunContext, type RunRecord, readRecord } from '../runner/run-record.ts';

/** A test as the fixtures have reported it. */
export type UnitRow = WireAnswer<'listUnits'>['data'][number];

/** What is read of an emulator at the end of a run. */
export interface Evidence {
  /** Oldest first. */
  units: UnitRow[];
  reached: readonly ReachedLie[];
  told: readonly ToldLie[];
  /** Requests of emulators of the suite's own. */
  elsewhere: number;
  /** By unit; that of the whole run is in the run itself. */
  records: Map<string, RunRecord>;
  /** What was on record of the whole run before each reset and restore. */
  before: RunRecord[];
}

export const NO_EVIDENCE: Evidence = {
  ...{ units: [], reached: [], told: [], elsewhere: 0, records: new Map(), before: [] },
};

/** What is on record between two resets: of each unit, and of the whole. */
interface Phase {
  units: Map<string, RunRecord>;
  whole: RunRecord;
}

interface EvidenceParts {
  context: RunContext;
  lies: LieSwitch;
  armed: readonly LieOrder[];
}

/** Reads what a run leaves on record: at its end, and before each reset and restore, which would forget it. */
export class RunEvidence {
  readonly #parts: EvidenceParts;
  readonly #phases: Promise<Phase>[] = [];

  constructor(parts: EvidenceParts) {
    this.#parts = parts;
  }

  /** Keeps what is on record now. What fails here fails at the end: the suite's own reset is not to know. */
  async keep(): Promise<void> {
    const { context } = this.#parts;
    const read = async () => ({ units: await this.#records(await this.#units()), whole: await readRecord(context) });
    const phase = read();
    this.#phases.push(phase);
    await phase.catch(() => undefined);
  }

  async read(): Promise<Evidence> {
    const { lies } = this.#parts;
    const units = await this.#units();
    const last = await this.#records(units);
    const phases = await Promise.all(this.#phases);
    const all = [...phases.map((phase) => phase.units), last];
    const recordsOf = (name: string) => all.flatMap((each) => each.get(name) ?? []);
    return {
      ...{ units, reached: lies.reached(), told: lies.told(), elsewhere: lies.elsewhere?.() ?? 0 },
      records: new Map([...last.keys()].map((name) => [name, joined(recordsOf(name))])),
      before: phases.map(({ whole }) => whole),
    };
  }

  async #units(): Promise<UnitRow[]> {
    const { data } = await this.#parts.context.control('listUnits', {});
    return data.reverse();
  }

  /** Of units that carry a lie, and on the truth of all. */
  async #records(units: readonly UnitRow[]): Promise<Map<string, RunRecord>> {
    const { armed, context } = this.#parts;
    const carrying = new Set(armed.map(({ unit }) => unit));
    const wanted = units.filter((row) => carrying.size === 0 || carrying.has(unitKey(row)));
    // After a reset an account may have the id of another test's: it is the newest one's.
    const owners = new Map(units.flatMap((row) => row.account_ids.map((id) => [id, row])));
    const read = async (row: UnitRow) => {
      const ids = [...new Set(row.account_ids)].filter((id) => owners.get(id) === row);
      const all = await Promise.all(ids.map((id) => recordOf(id, context)));
      return [unitKey(row), added(all.flatMap((each) => each ?? []))] as const;
    };
    return new Map(await Promise.all(wanted.map(read)));
  }
}

/** Undefined for an account that a reset has removed. */
async function recordOf(id: string, { control }: RunContext): Promise<RunRecord | undefined> {
  const context = { control, scope: id, accountId: id };
  return (await hasAccount(context)) ? readRecord(context) : undefined;
}

/** What is on record of several accounts. */
function added(all: readonly RunRecord[]): RunRecord {
  return {
    requests: all.flatMap(({ requests }) => requests),
    jobs: all.flatMap(({ jobs }) => jobs),
    deliveries: all.flatMap(({ deliveries }) => deliveries),
    ledger: all.flatMap(({ ledger }) => ledger),
    findings: all.flatMap(({ findings }) => findings),
  };
}

/** One record of those between resets: a restore brings back what was there before. */
export function joined(phases: readonly RunRecord[]): RunRecord {
  const { requests, jobs, deliveries, findings, ledger } = added(phases);
  // An account has spent what its last books say: those of before are of another account, or of the same one restored.
  const last = phases.findLast((phase) => phase.requests.length > 0);
  return {
    ...{ requests: distinct(requests), jobs: distinct(jobs), deliveries: distinct(deliveries) },
    ...{ findings: distinct(findings), ledger: last?.ledger ?? ledger },
  };
}

const POLL = /^GET \/v1\/(?:music|videos)\/generations\/[^/]+$/;

/** A read of one job, as an app makes it that waits for the end of that job. */
export function isPoll({ method, path: at }: Pick<RunRecord['requests'][number], 'method' | 'path'>): boolean {
  return POLL.test(`${method} ${at}`);
}

/**
 * Without the sites of reads that are made or not by the pace of the machine: of jobs whose event a receiver has taken,
 * and which were read only before.
 */
export function certainSites(
  reached: readonly ReachedLie[],
  recordOfUnit: (unit: string | undefined) => RunRecord | undefined,
): ReachedLie[] {
  return reached.filter(({ site, unit }) => {
    const record = POLL.test(site) ? recordOfUnit(unit) : undefined;
    if (!record) return true;
    const reads = record.requests.filter(
      ({ path: at }) => path.posix.dirname(site) === `GET ${path.posix.dirname(at)}`,
    );
    return reads.some((read) => isPoll(read) && !isByPace(read, record));
  });
}

/** Whether a read of a job came before its event, which a receiver of the app has taken. */
function isByPace({ path: at, received_at: read }: RunRecord['requests'][number], { deliveries }: RunRecord): boolean {
  const taken = deliveries.filter(({ subject, url, response_status: status }) => {
    return subject === path.posix.basename(at) && status !== null && status < 300 && !url.includes(INBOX_PATH);
  });
  return taken.length > 0 && taken.every(({ attempted_at: sent }) => Date.parse(read) < Date.parse(sent ?? ''));
}

function distinct<Row>(rows: readonly Row[]): Row[] {
  return [...new Map(rows.map((row) => [JSON.stringify(row), row])).values()];
}
