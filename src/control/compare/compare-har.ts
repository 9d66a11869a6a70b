import { compareEntry, type Difference, isAnswered, operationOf } from './compare-entry.ts';
import type { HarEntry } from './har.ts';

/** `first` is the number of the first entry with this difference. */
export interface CountedDifference extends Difference {
  entries: number;
  first: number;
}

export interface ComparedOperation {
  operation: string;
  method: string;
  path: string;
  entries: number;
  fit: number;
  differences: CountedDifference[];
}

export interface Comparison {
  entries: number;
  compared: number;
  skipped: { other_path: number; no_response: number };
  operations: ComparedOperation[];
}

const MOST_DIFFERENCES = 50;

export function compareHar(entries: readonly HarEntry[]): Comparison {
  const compared = new Map<string, ComparedOperation>();
  const skipped = { other_path: 0, no_response: 0 };
  for (const entry of entries) {
    const operation = operationOf(entry);
    if (!operation) skipped.other_path += 1;
    else if (!isAnswered(entry)) skipped.no_response += 1;
    else {
      const { name, method, path } = operation;
      const known = compared.get(name);
      const record = known ?? { operation: name, method, path, entries: 0, fit: 0, differences: [] };
      compared.set(name, record);
      count(record, compareEntry(operation, entry), entry.number);
    }
  }
  const operations = [...compared.values()];
  const total = operations.reduce((sum, each) => sum + each.entries, 0);
  return { entries: entries.length, compared: total, skipped, operations };
}

function count(record: ComparedOperation, differences: readonly Difference[], number: number): void {
  record.entries += 1;
  if (differences.length === 0) record.fit += 1;
  const seen = new Set<string>();
  for (const difference of differences) {
    const key = keyOf(difference);
    if (seen.has(key)) continue;
    seen.add(key);
    const known = record.differences.find((each) => keyOf(each) === key);
    if (known) known.entries += 1;
    else if (record.differences.length < MOST_DIFFERENCES) {
      record.differences.push({ ...difference, entries: 1, first: number });
    }
  }
}

function keyOf({ kind, where, note }: Difference): string {
  return JSON.stringify([kind, where, note]);
}
