import { unitKey } from '../../engine/accounts/units.ts';
import { contextOf, hasAccount, type RunContext, type RunRecord, readRecord, type UnitRow } from './run-record.ts';

/** What is read of the tests of a run at its end. */
export interface UnitsOnRecord {
  /** Oldest first. */
  units: UnitRow[];
  /** By unit; that of the whole run is in the run itself. */
  records: Map<string, RunRecord>;
  /** What was on record of the whole run before each reset and restore. */
  before: RunRecord[];
}

export const NO_UNITS: UnitsOnRecord = { units: [], records: new Map(), before: [] };

/** What is on record between two resets: of each unit, and of the whole. */
interface Phase {
  units: Map<string, RunRecord>;
  whole: RunRecord;
}

/** Reads what a run leaves on record: at its end, and before each reset and restore, which would forget it. */
export class UnitRecords {
  readonly #context: RunContext;
  readonly #keys: ReadonlySet<string>;
  readonly #phases: Promise<Phase>[] = [];

  /** `keys`: the units whose records are read; empty: all. */
  constructor(context: RunContext, keys: ReadonlySet<string>) {
    this.#context = context;
    this.#keys = keys;
  }

  /** Keeps what is on record now. What fails here fails at the end: the suite's own reset is not to know. */
  async keep(): Promise<void> {
    const context = this.#context;
    const read = async () => ({ units: await this.#records(await this.#units()), whole: await readRecord(context) });
    const phase = read();
    this.#phases.push(phase);
    await phase.catch(() => undefined);
  }

  async read(): Promise<UnitsOnRecord> {
    const units = await this.#units();
    const last = await this.#records(units);
    const phases = await Promise.all(this.#phases);
    const all = [...phases.map((phase) => phase.units), last];
    const recordsOf = (name: string) => all.flatMap((each) => each.get(name) ?? []);
    return {
      units,
      records: new Map([...last.keys()].map((name) => [name, joined(recordsOf(name))])),
      before: phases.map(({ whole }) => whole),
    };
  }

  async #units(): Promise<UnitRow[]> {
    const { data } = await this.#context.control('listUnits', {});
    return data.reverse();
  }

  async #records(units: readonly UnitRow[]): Promise<Map<string, RunRecord>> {
    const context = this.#context;
    const own = units.filter((row) => this.#keys.size === 0 || this.#keys.has(unitKey(row)));
    // After a reset an account may have the id of another test's: it is the newest one's.
    const owners = new Map(units.flatMap((row) => row.account_ids.map((id) => [id, row])));
    const read = async (row: UnitRow) => {
      const ids = [...new Set(row.account_ids)].filter((id) => owners.get(id) === row);
      const all = await Promise.all(ids.map((id) => recordOf(id, context)));
      return [unitKey(row), added(all.flatMap((each) => each ?? []))] as const;
    };
    return new Map(await Promise.all(own.map(read)));
  }
}

/** Undefined for an account that a reset has removed. */
async function recordOf(id: string, run: RunContext): Promise<RunRecord | undefined> {
  const context = contextOf(id, run);
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

function distinct<Row>(rows: readonly Row[]): Row[] {
  return [...new Map(rows.map((row) => [JSON.stringify(row), row])).values()];
}
