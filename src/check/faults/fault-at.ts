import { FAULTS } from './fault-table.ts';
import { withoutNumber } from './site.ts';

/** A fault at a site, by their names. */
export interface FaultAt {
  site: string;
  fault: string;
}

/** The faults of a scenario; none for the baseline run. */
export type Faults = readonly FaultAt[];

const OUTCOMES = new Set(FAULTS.filter(({ isOutcome }) => isOutcome).map(({ name }) => name));

export function isOutcome({ fault }: FaultAt): boolean {
  return OUTCOMES.has(fault);
}

export function failedTakeOf(fault: string): string | undefined {
  return /^take_fails:(\d+)$/.exec(fault)?.[1];
}

function textOf({ site, fault }: FaultAt): string {
  return `${fault} at ${site}`;
}

/** A text that is the same for the same faults in any order. */
export function faultsId(faults: Faults): string {
  return faults.map(textOf).sort().join(' + ');
}

/** The faults in a line: `lost_response at POST /v1/chat/completions #1`. */
export function faultsTitle(faults: Faults): string {
  return faults.map(textOf).join(' and ');
}

/** A fault in words: `delivery music.generation.succeeded #1 arrives twice, the second after the response to the first`. */
export function faultInWords({ site, fault }: FaultAt): string {
  const row = FAULTS.find(
    (each) =>
      each.name === fault && (site.startsWith('delivery') === each.at.includes('delivery') || each.at.length > 3),
  );
  return `${site} ${row?.words ?? fault}`;
}

/** The title of a finding: each fault in words. */
export function faultsInWords(faults: Faults): string {
  return faults.map(faultInWords).join('; ');
}

/** The kind of a scenario: kinds of faults at kinds of sites. A check has passed once each of its kinds was tried. */
export function faultsKind(faults: Faults): string {
  return faults
    .map(({ site, fault }) => `${fault} at ${withoutNumber(site).replace(/ (?:take \d+|to endpoint #\d+)/, '')}`)
    .sort()
    .join(' + ');
}
