import type { Condition } from './search-docs-store.ts';
import type { SearchQuery } from './search-query.ts';

/** What matches no record. */
export const NOTHING: Condition = { sql: '0', values: [] };

/** A request that was refused or failed. */
export const REFUSED: Condition = { sql: "(kind = 'request' AND (status = 0 OR status >= 400))", values: [] };

export function plainConditions({ status, took, after, model, path }: SearchQuery): Condition[] {
  return [
    ...(status ? [{ sql: 'status BETWEEN ? AND ?', values: [...status] }] : []),
    ...(took ? [{ sql: 'took BETWEEN ? AND ?', values: [...took], scans: true as const }] : []),
    ...(after === undefined ? [] : [{ sql: 'docs.place >= ?', values: [Math.floor(after) * 4096] }]),
    ...(model === undefined
      ? []
      : [{ sql: 'instr(lower(model), ?) > 0', values: [model.toLowerCase()], scans: true as const }]),
    ...(path === undefined ? [] : [{ sql: 'instr(path, ?) > 0', values: [path], scans: true as const }]),
  ];
}

export function wordOrOwner(text: string | { phrase: string }, owners: readonly string[]): Condition {
  const words: Condition =
    typeof text === 'string'
      ? { sql: 'instr(docs.text, ?) > 0', values: [text], scans: true }
      : { sql: 'docs.place IN (SELECT rowid FROM words WHERE words MATCH ?)', values: [text.phrase] };
  return owners.length === 0 ? words : anyOf([words, ownedBy(owners)]);
}

export function ownedBy(accountIds: readonly string[]): Condition {
  return { sql: 'account_id IN (SELECT value FROM json_each(?))', values: [JSON.stringify(accountIds)] };
}

/** A record that is one of these, or that led to one. */
export function among(ids: readonly string[]): Condition {
  const list = JSON.stringify(ids);
  return {
    sql: `(docs.id IN (SELECT value FROM json_each(?)) OR docs.place IN
      (SELECT place FROM refs WHERE made = 1 AND ref IN (SELECT value FROM json_each(?))))`,
    values: [list, list],
  };
}

export function anyOf(conditions: readonly Condition[]): Condition {
  const sql = `(${conditions.map((each) => each.sql).join(' OR ')})`;
  return { sql, values: conditions.flatMap(({ values }) => values) };
}

export function noneOf(conditions: readonly Condition[]): Condition {
  const any = anyOf(conditions);
  return { sql: `NOT ${any.sql}`, values: any.values };
}

/** Of one of some kinds. */
export function ofKind(kinds: readonly string[]): Condition {
  return { sql: 'kind IN (SELECT value FROM json_each(?))', values: [JSON.stringify(kinds)], scans: true };
}

/** Of a request with a trait that does not change. */
export function bearing(trait: string): Condition {
  return { sql: 'instr(traits, ?) > 0', values: [` ${trait} `], scans: true };
}
