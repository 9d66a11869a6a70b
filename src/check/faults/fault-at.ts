import { FAULTS } from './fault-table.ts';
import { removeSiteNumber } from './site.ts';

export interface FaultAtSite {
  site: string;
  fault: string;
}

export type ScenarioFaults = readonly FaultAtSite[];

const OUTCOMES = new Set(FAULTS.filter(({ isOutcome }) => isOutcome).map(({ name }) => name));

export function isJobOutcomeFault({ fault }: FaultAtSite): boolean {
  return OUTCOMES.has(fault);
}

export function parseFailedTake(fault: string): string | undefined {
  return /^take_fails:(\d+)$/.exec(fault)?.[1];
}

function textOf({ site, fault }: FaultAtSite): string {
  return `${fault} at ${site}`;
}

export function makeScenarioId(faults: ScenarioFaults): string {
  return faults.map(textOf).sort().join(' + ');
}

export function formatFaults(faults: ScenarioFaults): string {
  return faults.map(textOf).join(' and ');
}

export function describeFault({ site, fault }: FaultAtSite): string {
  const row = FAULTS.find(
    (each) =>
      each.name === fault && (site.startsWith('delivery') === each.at.includes('delivery') || each.at.length > 3),
  );
  return `${site} ${row?.words ?? fault}`;
}

export function describeFaults(faults: ScenarioFaults): string {
  return faults.map(describeFault).join('; ');
}

/**
 * The faults and sites of a scenario, without the numbers of requests, takes and endpoints. A check passes only if one
 * scenario of each of its kinds was tried.
 */
export function makeScenarioKind(faults: ScenarioFaults): string {
  return faults
    .map(({ site, fault }) => `${fault} at ${removeSiteNumber(site).replace(/ (?:take \d+|to endpoint #\d+)/, '')}`)
    .sort()
    .join(' + ');
}
