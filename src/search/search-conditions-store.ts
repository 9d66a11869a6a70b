import type { Condition } from './search-docs-store.ts';
import type { SearchQuery } from './search-query.ts';

/** What matches no record. */
export const NOTHING: Condition = { sql: '0', values: [] };

/** A request that was refused or failed. */
export const REFUSED: Condition = { sql: "(kind = 'request' AND (status = 0 OR status >= 400))", values: [] };

export function plainConditions({ status, took, after, model, path }: SearchQuery): Condition[] {
  return [
    ...(status ? [{ sql: 'status BETWEEN ? AND ?', values: [...status] }] : []),
    ...(took ? [{ sql: 'took BETWEEN ? AND ?', values: [...took] }] : []),
    ...(after === undefined ? [] : [{ sql: 'place >= ?', values: [Math.floor(after) * 4096] }]),
    ...(model === undefined ? [] : [{ sql: 'instr(lower(model), ?) > 0', values: [model.toLowerCase()] }]),
    ...(path === undefined ? [] : [{ sql: 'instr(path, ?) > 0', values: [path] }]),
  ];
}

/** A record whose text contains a word, or that belongs to an account of that name. */
export function wordOrOwner(word: string, owners: readonly string[]): Condition {
  const contains = { sql: 'instr(text, ?) > 0', values: [word] };
  return owners.length === 0 ? contains : anyOf([ownedBy(owners), contains]);
}

export function ownedBy(accountIds: readonly string[]): Condition {
  return { sql: 'account_id IN (SELECT value FROM json_each(?))', values: [JSON.stringify(accountIds)] };
}

/** A record that is one of these, or that led to one. */
export function among(ids: readonly string[]): Condition {
  const list = JSON.stringify(ids);
  return {
    sql: `(id IN (SELECT value FROM json_each(?)) OR place IN
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
  return { sql: 'kind IN (SELECT value FROM json_each(?))', values: [JSON.stringify(kinds)] };
}

/** Of a request with a trait that does not change. */
export function bearing(trait: string): Condition {
  return { sql: 'instr(traits, ?) > 0', values: [` ${trait} `] };
}
