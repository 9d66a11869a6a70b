import type { SqlValue } from '../database/transaction.ts';

/** From the first status to the last, both of one class. */
export type StatusRange = readonly [number, number];

/** Which requests are wanted; what is left out may be anything. */
export interface Wanted {
  status?: StatusRange | undefined;
  operation?: string | undefined;
  /** The beginning of the path. */
  path?: string | undefined;
  /** A piece of path, body or answer; capitals count as small letters. */
  text?: string | undefined;
  /** Milliseconds of real time: those that came then or later. */
  since?: number | undefined;
}

/** What a request has to meet, as further conditions of a query. */
export function conditionsOf({ status, operation, path, text, since }: Wanted): {
  text: string;
  values: SqlValue[];
} {
  const conditions: [string, SqlValue[]][] = [];
  // A range lies within one class, by which an index goes.
  if (status)
    conditions.push(['status / 100 = ? AND status BETWEEN ? AND ?', [Math.floor(status[0] / 100), ...status]]);
  if (operation !== undefined) conditions.push([`${fact('operation')} = ?`, [operation]]);
  if (path !== undefined) conditions.push([`instr(${fact('path')}, ?) = 1`, [path]]);
  if (since !== undefined) conditions.push([`${fact('began')} >= ?`, [since]]);
  if (text !== undefined) conditions.push(textCondition(text));
  return {
    text: conditions.map(([condition]) => `AND ${condition}`).join(' '),
    values: conditions.flatMap(([, values]) => values),
  };
}

function fact(name: string): string {
  return `facts ->> '$.${name}'`;
}

/** Bodies are JSON as somebody wrote it: as it is, with quotes escaped, or with all but ASCII escaped. */
function textCondition(text: string): [string, SqlValue[]] {
  const escaped = JSON.stringify(text).slice(1, -1);
  const ascii = escaped.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const patterns = [...new Set([text, escaped, ascii])].map(containing);
  const columns = ['request', 'answer', fact('path')];
  const tests = columns.flatMap((column) =>
    patterns.map((pattern) => [`${column} LIKE ? ESCAPE '!'`, pattern] as const),
  );
  return [`(${tests.map(([test]) => test).join(' OR ')})`, tests.map(([, pattern]) => pattern)];
}

function containing(text: string): string {
  return `%${text.replace(/[%_!]/g, '!$&')}%`;
}
