import { type ChoiceId, type EmulatorError, invalidRequestError, quoted } from '../errors.ts';
import { unicodeEscape } from '../text.ts';
import type { Reader, SqlValue } from './reader.ts';

export interface SqlCondition {
  sql: string;
  values: readonly SqlValue[];
}

export function findPosition(
  db: Reader,
  table: 'deliveries' | 'elements' | 'endpoints' | 'events' | 'objects',
  id: string,
): number | undefined {
  return db.get<{ position: number }>(`SELECT position FROM ${table} WHERE id = ?`, id)?.position;
}

export function lastPosition(db: Reader, table: 'deliveries' | 'jobs' | 'library' | 'runs'): number {
  return db.get<{ last: number | null }>(`SELECT MAX(position) AS last FROM ${table}`)?.last ?? 0;
}

interface DeletedId {
  position: number;
  created: number;
  accountId: string | null;
}

/** Where a page of a list continues after a deleted record [I216]. Only the last 100,000 deleted records are known. */
export function findDeletedRecord(db: Reader, id: string): DeletedId | undefined {
  return db.get<DeletedId>('SELECT position, created, account_id AS accountId FROM deleted_records WHERE id = ?', id);
}

export function unknownCursorError(what: string, after: string, choice?: ChoiceId): EmulatorError {
  const message = `after must be the id of ${what}, not ${quoted(after)}. Leave it out to start with the first page.`;
  return invalidRequestError('after', message, choice);
}

export function resolveCursorPosition(
  db: Reader,
  table: Parameters<typeof findPosition>[1],
  after: string | undefined,
  what: string,
): number {
  if (after === undefined) return Number.MAX_SAFE_INTEGER;
  const position = findPosition(db, table, after) ?? findDeletedRecord(db, after)?.position;
  if (position !== undefined) return position;
  throw unknownCursorError(what, after);
}

export function readIds(db: Reader, sql: string, ...values: SqlValue[]): string[] {
  return db.all<{ id: string }>(sql, ...values).map(({ id }) => id);
}

/** Leaves out conditions without a value. Each of the others is followed by "AND". */
export function conditionsWithValues(
  ...conditions: [condition: string, value: SqlValue | undefined][]
): [conditions: string, values: SqlValue[]] {
  const given = conditions.filter((each): each is [string, SqlValue] => each[1] !== undefined);
  return [given.map(([condition]) => `${condition} AND `).join(''), given.map(([, value]) => value)];
}

/**
 * A condition for rows whose text contains each word; the case of ASCII letters does not matter. `terms` is text in
 * which only whole words count. The condition ends with "AND", and is empty without words.
 */
export function wordConditions(text: string, q = '', terms = "''"): [condition: string, values: string[]] {
  const words = q.split(/\s+/).filter(Boolean);
  const each = `(${text} LIKE ? ESCAPE '\\' OR ${terms} LIKE ? ESCAPE '\\') AND `;
  const plain = words.map((word) => word.replace(/[\\%_]/g, '\\$&'));
  return [each.repeat(words.length), plain.flatMap((word) => [`%${word}%`, `% ${word} %`])];
}

/**
 * Patterns that find a text in JSON, for `ESCAPE '!'`. LIKE ignores the case of ASCII letters only, so any other text also
 * gets patterns in lower case, in upper case and capitalized.
 */
export function likePatterns(text: string): string[] {
  const forms = [text, text.normalize('NFC'), text.normalize('NFD')];
  const cases = forms.flatMap((form) => [form, form.toLowerCase(), form.toUpperCase(), capitalized(form)]);
  const distinct = /^[\x20-\x7e]*$/.test(text) ? [text] : [...new Set(cases)];
  const spelled = distinct.flatMap((each) => {
    const escaped = JSON.stringify(each).slice(1, -1);
    return [each, escaped, escaped.replace(/[^\x20-\x7e]/g, unicodeEscape)];
  });
  return [...new Set(spelled)].map((each) => `%${each.replace(/[%_!]/g, '!$&')}%`);
}

function capitalized(text: string): string {
  const [first = '', ...rest] = Array.from(text.toLowerCase());
  return first.toUpperCase() + rest.join('');
}
