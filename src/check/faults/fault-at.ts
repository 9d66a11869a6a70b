import { FAULTS } from './fault-table.ts';
import { removeSiteNumber } from './site.ts';

/** A fault at a site, by their names. */
export interface FaultAtSite {
  site: string;
  fault: string;
}

/** The faults of a scenario; none for the baseline run. */
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

/** A text that is the same for the same faults in any order. */
export function makeScenarioId(faults: ScenarioFaults): string {
  return faults.map(textOf).sort().join(' + ');
}

/** The faults in a line: `lost_response at POST /v1/chat/completions #1`. */
export function formatFaults(faults: ScenarioFaults): string {
  return faults.map(textOf).join(' and ');
}

/** A fault in words: `delivery music.generation.succeeded #1 arrives twice, the second after the response to the first`. */
export function describeFault({ site, fault }: FaultAtSite): string {
  const row = FAULTS.find(
    (each) =>
      each.name === fault && (site.startsWith('delivery') === each.at.includes('delivery') || each.at.length > 3),
  );
  return `${site} ${row?.words ?? fault}`;
}

/** The title of a finding: each fault in words. */
export function describeFaults(faults: ScenarioFaults): string {
  return faults.map(describeFault).join('; ');
}

/** The kind of a scenario: kinds of faults at kinds of sites. A check passes only if each of its kinds was tried. */
export function makeScenarioKind(faults: ScenarioFaults): string {
  return faults
    .map(({ site, fault }) => `${fault} at ${removeSiteNumber(site).replace(/ (?:take \d+|to endpoint #\d+)/, '')}`)
    .sort()
    .join(' + ');
}
