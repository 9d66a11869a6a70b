import type { Reader, SqlValue, Transaction } from '../../base/database/transaction.ts';
import { type Effect, effectKind } from './effects/effect-table.ts';
import type { FaultRule, NewFaultRule, RuleMatch } from './fault-rule.ts';

type Row = Omit<FaultRule, 'match' | 'effect' | 'kind'> & { match: string; effect: string };

const RULE = 'SELECT position, id, match, effect, times, applied, probability, expires, created FROM faults';

export function insertFault(tx: Transaction, rule: NewFaultRule): void {
  tx.run(
    `INSERT INTO faults (id, account_id, match, effect, times, probability, expires, created)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    rule.id,
    rule.match.account_id ?? null,
    JSON.stringify(rule.match),
    JSON.stringify(rule.effect),
    rule.times,
    rule.probability,
    rule.expires,
    tx.now,
  );
}

export function findFault(db: Reader, id: string): FaultRule | undefined {
  const row = db.get<Row>(`${RULE} WHERE id = ?`, id);
  return row && ruleOf(row);
}

export function listFaults(
  db: Reader,
  page: { accountId?: string | undefined; before: number; limit: number },
): FaultRule[] {
  const { accountId, before, limit } = page;
  const scope = accountId === undefined ? '' : 'AND account_id = ?';
  const values: SqlValue[] = accountId === undefined ? [before] : [before, accountId];
  return db
    .all<Row>(`${RULE} WHERE position < ? ${scope} ORDER BY position DESC LIMIT ?`, ...values, limit)
    .map(ruleOf);
}

export function liveFaults(db: Reader): FaultRule[] {
  return db.all<Row>(`${RULE} WHERE times = 0 OR applied < times ORDER BY position`).map(ruleOf);
}

export function faultsFacing(db: Reader, accountId: string, limit: number): FaultRule[] {
  const sql = `${RULE} WHERE account_id IS NULL OR account_id = ? ORDER BY position LIMIT ?`;
  return db.all<Row>(sql, accountId, limit).map(ruleOf);
}

export function unusedFaults(db: Reader): FaultRule[] {
  return db.all<Row>(`${RULE} WHERE applied = 0 ORDER BY position`).map(ruleOf);
}

/** Returns the new number of uses; undefined if the rule is used up, expired or deleted. */
export function countUse(tx: Transaction, id: string): number | undefined {
  return tx.get<{ applied: number }>(
    `UPDATE faults SET applied = applied + 1
     WHERE id = ? AND (times = 0 OR applied < times) AND (expires IS NULL OR expires > ?)
     RETURNING applied`,
    id,
    tx.now,
  )?.applied;
}

export function uncountUse(tx: Transaction, id: string): void {
  tx.run('UPDATE faults SET applied = applied - 1 WHERE id = ? AND applied > 0', id);
}

export function deleteFault(tx: Transaction, id: string): number {
  return tx.run('DELETE FROM faults WHERE id = ?', id);
}

export function deleteFaults(tx: Transaction, accountId: string | undefined): void {
  if (accountId === undefined) tx.run('DELETE FROM faults');
  else tx.run('DELETE FROM faults WHERE account_id = ?', accountId);
}

function ruleOf(row: Row): FaultRule {
  const effect = JSON.parse(row.effect) as Effect;
  return { ...row, match: JSON.parse(row.match) as RuleMatch, effect, kind: effectKind(effect) };
}
