import type { Reader, SqlValue } from '../../base/database/reader.ts';
import { integer, json, type RowOf, real, rowId, table, text } from '../../base/database/table.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import type { HttpMethod } from '../../base/http-methods.ts';
import { type Effect, type EffectKind, effectKind } from './effects/effect-table.ts';

/** Omitted fields match every request. */
export interface MatchConditions {
  path?: string;
  method?: HttpMethod;
  model?: string;
  contains?: string;
  account_id?: string;
  /** The name of a test, or its file and name, such as `cart.test.ts > pays`. */
  test?: string;
  /** The take of a song, from 1. */
  take?: number;
  /**
   * Selects the nth matching request, or the nth event if the effect acts on events. In a hold, selects the nth message.
   * Counts from 1, over all accounts that match.
   */
  nth?: number;
}

export const faults = table('faults', {
  position: rowId,
  id: text,
  accountId: text.nullable(),
  match: json<MatchConditions>(),
  effect: json<Effect>(),
  /** How many times the rule may apply; 0 means no limit. */
  times: integer,
  applied: integer,
  probability: real,
  expires: integer.nullable(),
  created: integer,
});

type StoredFault = RowOf<typeof faults>;

export interface FaultRule extends StoredFault {
  kind: EffectKind;
}

type NewFault = Omit<StoredFault, 'position' | 'accountId' | 'applied' | 'created'>;

export function insertFaultRule(tx: Transaction, fault: NewFault): FaultRule {
  const row = { ...fault, accountId: fault.match.account_id ?? null, applied: 0, created: tx.now };
  return ruleOf({ ...row, position: faults.insert(tx, row) });
}

export function findFaultRule(db: Reader, id: string): FaultRule | undefined {
  const row = faults.get(db, `${faults.select} WHERE id = ?`, id);
  return row && ruleOf(row);
}

export function listFaultRules(
  db: Reader,
  page: { accountId?: string | undefined; before: number; limit: number },
): FaultRule[] {
  const { accountId, before, limit } = page;
  const scope = accountId === undefined ? '' : 'AND account_id = ?';
  const values: SqlValue[] = accountId === undefined ? [before] : [before, accountId];
  const sql = `${faults.select} WHERE position < ? ${scope} ORDER BY position DESC LIMIT ?`;
  return faults.all(db, sql, ...values, limit).map(ruleOf);
}

export function faultRulesWithUsesLeft(db: Reader): FaultRule[] {
  return faults.all(db, `${faults.select} WHERE times = 0 OR applied < times ORDER BY position`).map(ruleOf);
}

export function faultRulesForAccount(db: Reader, accountId: string, limit: number): FaultRule[] {
  const sql = `${faults.select} WHERE account_id IS NULL OR account_id = ? ORDER BY position LIMIT ?`;
  return faults.all(db, sql, accountId, limit).map(ruleOf);
}

export function unusedFaultRules(db: Reader): FaultRule[] {
  return faults.all(db, `${faults.select} WHERE applied = 0 ORDER BY position`).map(ruleOf);
}

/** Counts a use, and returns the new number of uses. Returns undefined if the rule is used up, expired or deleted. */
export function countFaultRuleUse(tx: Transaction, id: string): number | undefined {
  return tx.get<{ applied: number }>(
    `UPDATE faults SET applied = applied + 1
     WHERE id = ? AND (times = 0 OR applied < times) AND (expires IS NULL OR expires > ?)
     RETURNING applied`,
    id,
    tx.now,
  )?.applied;
}

export function uncountFaultRuleUse(tx: Transaction, id: string): void {
  tx.run('UPDATE faults SET applied = applied - 1 WHERE id = ? AND applied > 0', id);
}

export function deleteFaultRule(tx: Transaction, id: string): number {
  return tx.run('DELETE FROM faults WHERE id = ?', id);
}

export function deleteFaultRules(tx: Transaction, accountId: string | undefined): void {
  if (accountId === undefined) tx.run('DELETE FROM faults');
  else tx.run('DELETE FROM faults WHERE account_id = ?', accountId);
}

function ruleOf(row: StoredFault): FaultRule {
  return { ...row, kind: effectKind(row.effect) };
}
