import type { JournalEntry } from '../../engine/journal/journal-record.ts';

const LONGEST = 6000;
const DATA_URL = /^data:[^,]{1,80},/;

export function requestText(entry: JournalEntry): string {
  const { id, key_id, fault, violation, method, path, operation, status, job_ids, charges, run_id } = entry;
  const made = [...job_ids, ...charges, run_id];
  const texts = [textOf(entry.request), textOf(entry.answer)];
  return comparableText(
    [id, key_id, fault, violation, method, path, operation, status, ...made, ...texts].filter(Boolean).join('\n'),
  );
}

export function textOf(kept: string | null): string {
  const value = kept === null ? null : parsed(kept);
  if (value === undefined) return kept ?? '';
  const texts: string[] = [];
  gather(value, texts);
  return texts.join('\n');
}

export function comparableText(text: string): string {
  return text.toLowerCase().normalize('NFC');
}

function parsed(kept: string): unknown {
  try {
    return JSON.parse(kept);
  } catch {
    return undefined;
  }
}

function gather(value: unknown, texts: string[]): void {
  if (typeof value === 'string') {
    if (!DATA_URL.test(value)) texts.push(value.slice(0, LONGEST));
  } else if (typeof value === 'object' && value !== null) {
    for (const each of Object.values(value)) gather(each, texts);
  }
}
