import type { SqlValue } from '../../base/database/transaction.ts';
import type { JournalEntry } from '../../engine/journal/journal-record.ts';

/** How many characters of a request, and of its answer, are indexed; no more than the journal keeps. */
const MOST_ASKED = 8000;
const MOST_ANSWERED = 2000;
/** A text that is longer is a file. */
const LONGEST = 6000;
const DATA_URL = /^data:[^,]{1,80},/;
const NAMED = /\b(?:job|run|lib|obj|evt|dlv|le)_[0-9a-f]{12,40}\b/g;

/** A request as it is searched. */
export function requestDoc(entry: JournalEntry & { position: number }): Doc {
  const { id, position, account_id, key_id, began, status, duration_ms, path, job_ids, charges, run_id } = entry;
  const { method, operation, request, answer, fault, lie } = entry;
  const made = [...job_ids, ...charges, ...(run_id ? [run_id] : [])];
  const named = path.match(NAMED) ?? [];
  const body = request === null ? undefined : parsed(request);
  const asked = textOf(request?.slice(0, 16_384) ?? null, body).slice(0, MOST_ASKED);
  const answered = textOf(answer?.slice(0, 16_384) ?? null).slice(0, MOST_ANSWERED);
  const text = [id, key_id, fault, lie, method, path, operation, status, ...made, asked, answered];
  return {
    kind: 'request',
    position,
    id,
    accountId: account_id,
    at: began,
    facts: { status, took: duration_ms, model: entry.model ?? modelOf(body), path, traits: traitsOf(entry) },
    text: text.filter(Boolean).join('\n').toLowerCase().normalize('NFC'),
    refs: { made, named: named.filter((ref) => !made.includes(ref)) },
  };
}

/** What is known of a request once and for all, as words between blanks. */
function traitsOf({ fault, warnings, dropped, retry_count, cut, charges, job_ids, status }: JournalEntry): string {
  const traits: [string, boolean][] = [
    ['has:fault', fault !== undefined],
    ['has:warning', warnings !== undefined || dropped !== undefined],
    ['is:retry', retry_count > 0],
    ['is:cut', cut === true && status !== 0],
    ['has:charge', charges.length > 0],
    ['has:job', job_ids.length > 0],
  ];
  const own = traits.flatMap(([name, holds]) => (holds ? [name] : []));
  return ` ${own.join(' ')} `;
}

/** All texts of a JSON value as one; of what is no JSON, the text itself. Files given as data URLs are left out. */
export function textOf(kept: string | null, value = kept === null ? undefined : parsed(kept)): string {
  if (kept === null) return '';
  if (!isJson(kept)) return kept.slice(0, MOST_ASKED);
  if (value === undefined) return kept.replaceAll(/data:[^",]{1,80},[A-Za-z0-9+/=]+/g, '').slice(0, MOST_ASKED);
  const texts: string[] = [];
  gather(value, texts);
  return texts.join('\n');
}

function isJson(kept: string): boolean {
  return /^[[{"]/.test(kept);
}

/** The value of a JSON text; undefined for another one, and for one that was cut. */
function parsed(kept: string): unknown {
  if (!isJson(kept)) return undefined;
  try {
    return JSON.parse(kept);
  } catch {
    return undefined;
  }
}

function gather(value: unknown, texts: string[]): void {
  if (typeof value === 'string') {
    if (value.length <= LONGEST && !DATA_URL.test(value)) texts.push(value);
    else if (!DATA_URL.test(value)) texts.push(value.slice(0, LONGEST));
  } else if (Array.isArray(value)) for (const each of value) gather(each, texts);
  else if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) gather(each, texts);
}

function modelOf(body: unknown): string | null {
  const { model } = Object(body) as { model?: unknown };
  return typeof model === 'string' && model !== '' ? model.slice(0, 80) : null;
}

/** Kinds of what can be found. */
export const KINDS = ['request', 'job', 'event', 'delivery', 'run'] as const;
export type Kind = (typeof KINDS)[number];

/** One record as it is searched. `at` is milliseconds of the machine's clock, as near as is known. */
export interface Doc {
  kind: Kind;
  /** Its position among its kind. */
  position: number;
  id: string;
  accountId: string | null;
  at: number;
  facts: { status: number | null; took: number | null; model: string | null; path: string | null; traits: string };
  /** All that its words are looked for in. */
  text: string;
  /** Ids of what it led to, and of what it only names. */
  refs: { made: readonly string[]; named: readonly string[] };
}

export interface FoundDoc {
  place: number;
  kind: Kind;
  id: string;
  accountId: string | null;
}

/** What of a record its sentence is made of; its text is in lower case. */
export interface SaidDoc {
  id: string;
  kind: Kind;
  status: number | null;
  model: string | null;
  path: string | null;
  text: string;
}

/** A condition of a search: SQL over `docs`, and its values. */
export interface Condition {
  sql: string;
  values: readonly SqlValue[];
}
