import { FAULTS } from './fault-table.ts';
import { withoutNumber } from './site.ts';

/** A fault at a site, by their names. */
export interface FaultAt {
  site: string;
  fault: string;
}

/** Empty for the baseline run. */
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

/** The same for the same faults in any order. */
export function idOf(faults: Faults): string {
  return faults.map(textOf).sort().join(' + ');
}

/** Faults in a line: `lost_response at POST /v1/chat/completions #1`. */
export function faultsTitle(faults: Faults): string {
  return faults.map(textOf).join(' and ');
}

/** A fault in words: `delivery music.generation.succeeded #1 arrives twice, the second after the response to the first`. */
export function wordsOf({ site, fault }: FaultAt): string {
  const row = FAULTS.find(
    (each) =>
      each.name === fault && (site.startsWith('delivery') === each.at.includes('delivery') || each.at.length > 3),
  );
  return `${site} ${row?.words ?? fault}`;
}

/** Faults of one kind at sites of one kind are alike: a check has passed once each of them was tried. */
export function kindOf(faults: Faults): string {
  return faults
    .map(({ site, fault }) => `${fault} at ${withoutNumber(site).replace(/ (?:take \d+|to endpoint #\d+)/, '')}`)
    .sort()
    .join(' + ');
}
