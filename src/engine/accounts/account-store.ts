import { readIds, wordConditions } from '../../base/database/list-queries.ts';
import type { Reader } from '../../base/database/reader.ts';
import { integer, type RowOf, rowId, table, text } from '../../base/database/table.ts';
import type { Transaction } from '../../base/database/transaction.ts';

export const ROLES = ['owner', 'admin', 'member'] as const;

export type MemberRole = (typeof ROLES)[number];

export type Permission = 'webhooks:manage';

export const PERMISSIONS_BY_ROLE: Record<MemberRole, readonly Permission[]> = {
  owner: ['webhooks:manage'],
  admin: ['webhooks:manage'],
  member: [],
};

export const MAX_CLIP_SECONDS_BY_PLAN = { payg: 10, hobby: 15, creator: 20, studio: 30 } as const;

export type WorkspacePlan = keyof typeof MAX_CLIP_SECONDS_BY_PLAN;

export const PLANS = ['payg', 'hobby', 'creator', 'studio'] as const satisfies readonly WorkspacePlan[];

export const PLAN_DISPLAY_NAMES: Record<WorkspacePlan, string> = {
  payg: 'pay-as-you-go',
  hobby: 'Hobby',
  creator: 'Creator',
  studio: 'Studio',
};

export const workspaces = table('workspaces', {
  position: rowId,
  id: text,
  plan: text.of<WorkspacePlan>(),
  created: integer,
});

export const accounts = table('accounts', {
  position: rowId,
  id: text,
  workspaceId: text,
  name: text,
  role: text.of<MemberRole>(),
  created: integer,
});

interface OfWorkspace {
  plan: WorkspacePlan;
  balance: number;
}

export type Account = RowOf<typeof accounts> & OfWorkspace;

const ACCOUNT = `SELECT ${accounts.list}, plan,
    COALESCE((SELECT balance FROM ledger WHERE account_id = accounts.id ORDER BY n DESC LIMIT 1), 0) AS balance
  FROM accounts JOIN workspaces ON workspaces.id = workspace_id`;

export function findAccount(db: Reader, id: string): Account | undefined {
  return accounts.get<OfWorkspace>(db, `${ACCOUNT} WHERE accounts.id = ?`, id);
}

const SAID = "(coalesce(name, '') || ' ' || accounts.id || ' ' || workspace_id)";
const KEYS = "coalesce((SELECT group_concat(id, ' ') FROM keys WHERE account_id = accounts.id), '')";
const TERMS = `(' ' || role || ' ' || plan || ' ' || ${KEYS} || ' ')`;

export function listAccounts(
  db: Reader,
  { limit, before, q = '' }: { limit: number; before: number; q?: string | undefined },
): Account[] {
  const [held, words] = wordConditions(SAID, q, TERMS);
  return accounts.all<OfWorkspace>(
    db,
    `${ACCOUNT} WHERE ${held}accounts.position < ? ORDER BY accounts.position DESC LIMIT ?`,
    ...words,
    before,
    limit,
  );
}

export function listAccountIds(db: Reader): string[] {
  return readIds(db, 'SELECT id FROM accounts ORDER BY position DESC');
}

/**
 * The oldest owner of a workspace. Pays for flows that name no account, and gets the events that a control operation
 * triggers.
 */
export function findOldestOwnerOfWorkspace(db: Reader, workspaceId: string): Account | undefined {
  const sql = `${ACCOUNT} WHERE workspace_id = ? AND role = 'owner' ORDER BY accounts.position LIMIT 1`;
  return accounts.get<OfWorkspace>(db, sql, workspaceId);
}

export function findOldestOwnerOverall(db: Reader): Account | undefined {
  return accounts.get<OfWorkspace>(db, `${ACCOUNT} WHERE role = 'owner' ORDER BY accounts.position LIMIT 1`);
}

export function updateAccount(tx: Transaction, { id, name, role }: Pick<Account, 'id' | 'name' | 'role'>): void {
  tx.run('UPDATE accounts SET name = ?, role = ? WHERE id = ?', name, role, id);
}

export function countOwners(db: Reader, workspaceId: string): number {
  const sql = `SELECT COUNT(*) AS owners FROM accounts WHERE workspace_id = ? AND role = 'owner'`;
  return db.get<{ owners: number }>(sql, workspaceId)?.owners ?? 0;
}

export function findWorkspacePlan(db: Reader, workspaceId: string): WorkspacePlan | undefined {
  return db.get<{ plan: WorkspacePlan }>('SELECT plan FROM workspaces WHERE id = ?', workspaceId)?.plan;
}

export function updateWorkspacePlan(tx: Transaction, workspaceId: string, plan: WorkspacePlan): boolean {
  return tx.run('UPDATE workspaces SET plan = ? WHERE id = ?', plan, workspaceId) === 1;
}
