import { givenConditions, readIds, wordConditions } from '../../base/database/list-queries.ts';
import type { Reader, Transaction } from '../../base/database/transaction.ts';

export const ROLES = ['owner', 'admin', 'member'] as const;

export type MemberRole = (typeof ROLES)[number];

export type Permission = 'webhooks:manage';

export const PERMISSIONS: Record<MemberRole, readonly Permission[]> = {
  owner: ['webhooks:manage'],
  admin: ['webhooks:manage'],
  member: [],
};

/** Seconds. */
export const CLIP_CAP = { payg: 10, hobby: 15, creator: 20, studio: 30 } as const;

export type AccountPlan = keyof typeof CLIP_CAP;

export const PLANS = ['payg', 'hobby', 'creator', 'studio'] as const satisfies readonly AccountPlan[];

export const PLAN_NAME: Record<AccountPlan, string> = {
  payg: 'pay-as-you-go',
  hobby: 'Hobby',
  creator: 'Creator',
  studio: 'Studio',
};

/** A member of a workspace with its own balance. Times are in milliseconds, balances in credits. */
export interface Account {
  position: number;
  id: string;
  workspaceId: string;
  name: string;
  role: MemberRole;
  plan: AccountPlan;
  balance: number;
  created: number;
}

export interface Caller {
  keyId: string;
  accountId: string;
  workspaceId: string;
  role: MemberRole;
  plan: AccountPlan;
}

const ACCOUNT = `SELECT a.position, a.id, a.workspace_id AS workspaceId, a.name, a.role, w.plan, a.created,
    COALESCE((SELECT balance FROM ledger WHERE account_id = a.id ORDER BY n DESC LIMIT 1), 0) AS balance
  FROM accounts a JOIN workspaces w ON w.id = a.workspace_id`;

export function findAccount(db: Reader, id: string): Account | undefined {
  return db.get<Account>(`${ACCOUNT} WHERE a.id = ?`, id);
}

const SAID = "(coalesce(a.name, '') || ' ' || a.id || ' ' || a.workspace_id)";
const TERMS = "(' ' || a.role || ' ' || w.plan || ' ')";

/** Newest first. `before` is a position, and `q` contains parts of a name, id, role or plan, in any case. */
export function listAccounts(
  db: Reader,
  { limit, before, q = '' }: { limit: number; before: number; q?: string | undefined },
): Account[] {
  const [held, words] = wordConditions(SAID, q, TERMS);
  return db.all<Account>(
    `${ACCOUNT} WHERE ${held}a.position < ? ORDER BY a.position DESC LIMIT ?`,
    ...words,
    before,
    limit,
  );
}

export function listAccountIds(db: Reader): string[] {
  return readIds(db, 'SELECT id FROM accounts ORDER BY position DESC');
}

/** The owner pays for everything that belongs to the workspace. */
export function findOwner(db: Reader, workspaceId: string): Account | undefined {
  return db.get<Account>(
    `${ACCOUNT} WHERE a.workspace_id = ? AND a.role = 'owner' ORDER BY a.position LIMIT 1`,
    workspaceId,
  );
}

export function findFirstOwner(db: Reader): Account | undefined {
  return db.get<Account>(`${ACCOUNT} WHERE a.role = 'owner' ORDER BY a.position LIMIT 1`);
}

export function insertAccount(tx: Transaction, account: Omit<Account, 'position' | 'plan' | 'balance'>): void {
  tx.run(
    'INSERT INTO accounts (id, workspace_id, name, role, created) VALUES (?, ?, ?, ?, ?)',
    account.id,
    account.workspaceId,
    account.name,
    account.role,
    account.created,
  );
}

export function updateAccount(tx: Transaction, { id, name, role }: Pick<Account, 'id' | 'name' | 'role'>): void {
  tx.run('UPDATE accounts SET name = ?, role = ? WHERE id = ?', name, role, id);
}

export function countOwners(db: Reader, workspaceId: string): number {
  const sql = `SELECT COUNT(*) AS owners FROM accounts WHERE workspace_id = ? AND role = 'owner'`;
  return db.get<{ owners: number }>(sql, workspaceId)?.owners ?? 0;
}

export function findPlan(db: Reader, workspaceId: string): AccountPlan | undefined {
  return db.get<{ plan: AccountPlan }>('SELECT plan FROM workspaces WHERE id = ?', workspaceId)?.plan;
}

export function insertWorkspace(tx: Transaction, id: string, plan: AccountPlan): void {
  tx.run('INSERT INTO workspaces (id, plan, created) VALUES (?, ?, ?)', id, plan, tx.now);
}

export function updatePlan(tx: Transaction, workspaceId: string, plan: AccountPlan): boolean {
  return tx.run('UPDATE workspaces SET plan = ? WHERE id = ?', plan, workspaceId) === 1;
}

export function insertKey(tx: Transaction, key: { id: string; accountId: string; hash: string }): void {
  tx.run(
    'INSERT INTO keys (id, account_id, hash, created) VALUES (?, ?, ?, ?)',
    key.id,
    key.accountId,
    key.hash,
    tx.now,
  );
}

export function revokeKey(tx: Transaction, id: string): boolean {
  return tx.run('UPDATE keys SET revoked = ? WHERE id = ? AND revoked IS NULL', tx.now, id) === 1;
}

const CALLER = `SELECT k.id AS keyId, a.id AS accountId, a.workspace_id AS workspaceId, a.role, w.plan
     FROM keys k JOIN accounts a ON a.id = k.account_id JOIN workspaces w ON w.id = a.workspace_id`;

export function findCaller(db: Reader, keyHash: string): Caller | undefined {
  return db.get<Caller>(`${CALLER} WHERE k.hash = ? AND k.revoked IS NULL`, keyHash);
}

export function findNewestCaller(db: Reader, accountId: string | undefined): Caller | undefined {
  const [owned, owner] = givenConditions(['a.id = ?', accountId]);
  const sql = `${CALLER} WHERE ${owned}k.revoked IS NULL ORDER BY k.created DESC, a.position DESC LIMIT 1`;
  return db.get<Caller>(sql, ...owner);
}

export function findRevokedCaller(db: Reader, keyHash: string): Caller | undefined {
  return db.get<Caller>(`${CALLER} WHERE k.hash = ? AND k.revoked IS NOT NULL`, keyHash);
}

/** Only the hash of a key is stored. Times are in milliseconds. */
export interface StoredKey {
  id: string;
  accountId: string;
  created: number;
  revoked: number | null;
}

const KEY = 'SELECT id, account_id AS accountId, created, revoked FROM keys';

export function findKey(db: Reader, id: string): StoredKey | undefined {
  return db.get<StoredKey>(`${KEY} WHERE id = ?`, id);
}

export function listKeys(
  db: Reader,
  accountId: string,
  { limit, before }: { limit: number; before: StoredKey | undefined },
): StoredKey[] {
  return db.all<StoredKey>(
    `${KEY} WHERE account_id = ? AND (created, id) < (?, ?) ORDER BY created DESC, id DESC LIMIT ?`,
    accountId,
    before?.created ?? Number.MAX_SAFE_INTEGER,
    before?.id ?? '',
    limit,
  );
}
