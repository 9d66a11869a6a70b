import type { Clock } from '../../base/clock/clock.ts';
import { readAllPages } from '../runner/run-record.ts';
import type { ArmedFaults, ArmingTarget, Run, Runner, RunTask } from '../runner/runner.ts';
import { type FaultAtSite, parseFailedTake } from './fault-at.ts';
import { FAULTS } from './fault-table.ts';
import { armHold, type HoldWatch } from './held-sites.ts';
import { removeSiteNumber, type Site, type SiteMatch } from './site.ts';

export interface FaultWithSite extends FaultAtSite {
  at: Site;
}

interface ToArm {
  faults: readonly FaultWithSite[];
  slowMs(site: Site): number;
  onWaitedOut(site: Site): void;
  isDelayed?: boolean | undefined;
  isDead?: boolean | undefined;
}

/**
 * How long each response of the first baseline run is delayed. Even a busy client sends its parallel requests within
 * this time.
 */
const DELAY_MS = 75;

async function armFaults(toArm: ToArm, { context, app }: ArmingTarget, clock: Clock): Promise<ArmedFaults> {
  const { control } = context;
  const ended = new AbortController();
  const watches = new Map<FaultAtSite, HoldWatch>();
  const rules = new Map<string, FaultAtSite>();
  /** The ids of fault rules that deliver an event after all other events. */
  const lasts: string[] = [];
  if (toArm.isDelayed) await control('createFault', { match: {}, effect: { delay_ms: DELAY_MS }, times: 0 });
  if (toArm.isDead) await control('createFault', { match: {}, effect: { status: 500 }, times: 0 });
  for (const each of toArm.faults) {
    const { fault: name, at } = each;
    const fault = FAULTS.find((row) => row.name === name && row.at.includes(at.kind));
    if (!fault) continue;
    const act = fault.act(at);
    const match = matchAt(name, at);
    if ('effect' in act) {
      const { id } = await control('createFault', { match, ...act });
      rules.set(id, each);
      if (act.effect.webhook === 'after_all') lasts.push(id);
    } else {
      const watch = await armHold({ site: at, act, match }, { context, app, clock, toArm, signal: ended.signal });
      watches.set(each, watch);
    }
  }
  const unmet = new Set<FaultAtSite>();
  const lookAtRules = async () => {
    for (const { id, applied } of await readAllPages((page) => control('listFaults', page))) {
      const fault = rules.get(id);
      if (fault && applied === 0) unmet.add(fault);
      else if (fault) unmet.delete(fault);
    }
  };
  return {
    upAgain: async () => void (await Promise.all([...watches.values()].map((watch) => watch.upAgain()))),
    async end() {
      ended.abort();
      await Promise.all([...watches.values()].map(({ over }) => over));
      if (watches.size > 0) await control('deleteHolds', {});
      if (lasts.length > 0) await lookAtRules();
      for (const id of lasts) await control('deleteFault', { id });
    },
    async disarm() {
      if (toArm.faults.length === 0) return [];
      await lookAtRules();
      await control('deleteFaults', {});
      const unheld = [...watches].filter(([, { isMet }]) => !isMet()).map(([fault]) => fault);
      return [...unmet, ...unheld];
    },
  };
}

function matchAt(fault: string, { match, test }: Site): SiteMatch {
  const take = parseFailedTake(fault);
  return { ...match, ...(take !== undefined && { take: Number(take) }), ...(test !== undefined && { test }) };
}

export interface FaultRunTask extends Omit<RunTask, 'arm'>, Pick<ToArm, 'isDelayed' | 'isDead'> {
  faults: readonly FaultWithSite[];
  /** True for a first attempt. If it fails, further runs confirm the failure. */
  isFirst?: boolean;
}

export type FaultRunner = (task: FaultRunTask) => Promise<Run>;

/**
 * The fault `slow` holds a response until the client hangs up, for at most this many milliseconds. A first attempt uses
 * `LATER_MS` at sites where a client did not hang up in time before.
 */
const [SLOW_MS, LATER_MS] = [10_000, 1000];

export function createFaultRunner(runner: Runner, clock: Clock): FaultRunner {
  const waitedOut = new Set<string>();
  return ({ faults, isFirst, isDelayed, isDead, ...task }) => {
    const slowMs = ({ name }: Site) => (isFirst && waitedOut.has(removeSiteNumber(name)) ? LATER_MS : SLOW_MS);
    const onWaitedOut = ({ name }: Site) => void waitedOut.add(removeSiteNumber(name));
    const toArm = { faults, isDelayed, isDead, slowMs, onWaitedOut };
    return runner.run({ ...task, arm: (site) => armFaults(toArm, site, clock) });
  };
}
