import type { Config } from '../../base/config/config.ts';
import type { Database } from '../../base/database/database.ts';
import { nextId, readSetting, writeSetting } from '../../base/database/id-store.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import { EmulatorError, invalidRequestError, quoted } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import { type Entry, grant, topUp } from '../ledger/ledger.ts';
import { storeNewUrlSigningSecret } from '../storage/cdn-url.ts';
import {
  type Account,
  accounts,
  countOwners,
  findAccount,
  findWorkspacePlan,
  type MemberRole,
  updateAccount,
  updateWorkspacePlan,
  type WorkspacePlan,
  workspaces,
} from './account-store.ts';
import { Keys } from './key-store.ts';

const WELCOME_CREDITS = 50;

interface NewAccount {
  name?: string;
  workspaceId?: string;
  plan?: WorkspacePlan;
  role?: MemberRole;
  /** The credits of the new account: a grant of at most 50, and a top-up of the rest. */
  credits?: number;
  key?: string;
}

interface AccountWithKey {
  account: Account;
  apiKey: string;
}

export class Accounts {
  readonly keys: Keys;
  readonly #database: Database;
  readonly #random: Random;

  constructor(parts: { database: Database; random: Random }) {
    this.#database = parts.database;
    this.#random = parts.random;
    this.keys = new Keys(parts);
  }

  open(wanted: NewAccount): Promise<AccountWithKey> {
    return this.#database.transact((tx) => this.openWithin(tx, wanted));
  }

  openWithin(tx: Transaction, wanted: NewAccount): AccountWithKey {
    const { workspaceId = this.#openWorkspace(tx, wanted.plan ?? 'payg') } = wanted;
    if (wanted.workspaceId && !findWorkspacePlan(tx, workspaceId))
      throw workspaceNotFoundError(workspaceId, 'workspace_id');
    const id = nextId(tx, this.#random, 'account', '');
    const role = wanted.role ?? (wanted.workspaceId ? 'member' : 'owner');
    accounts.insert(tx, { id, workspaceId, name: wanted.name ?? id, role, created: tx.now });
    this.#welcome(tx, id, wanted.credits ?? WELCOME_CREDITS);
    const { apiKey } = this.keys.addWithin(tx, id, wanted.key);
    const account = findAccount(tx, id);
    if (!account) throw new Error(`account ${id} was not written`);
    return { account, apiKey };
  }

  /**
   * Changes an account; omitted fields stay as they are. `plan` changes the plan of the workspace. Throws `not_found`,
   * or `invalid_request` if the only owner of a workspace would get another role.
   */
  change(id: string, change: { name?: string; role?: MemberRole; plan?: WorkspacePlan }): Promise<void> {
    return this.#database.transact((tx) => {
      const account = findAccount(tx, id);
      if (!account) throw accountNotFoundError(id);
      const { name = account.name, role = account.role, plan } = change;
      const leaves = account.role === 'owner' && role !== 'owner';
      if (leaves && countOwners(tx, account.workspaceId) === 1) throw onlyOwner(account);
      updateAccount(tx, { id, name, role });
      if (plan) updateWorkspacePlan(tx, account.workspaceId, plan);
      tx.onCommit(() => this.keys.forget());
    });
  }

  topUp(accountId: string, amount: number): Promise<Entry> {
    return this.#database.transact((tx) => {
      if (!findAccount(tx, accountId)) throw accountNotFoundError(accountId);
      return topUp(tx, this.#random, { accountId, amount });
    });
  }

  #openWorkspace(tx: Transaction, plan: WorkspacePlan): string {
    const id = nextId(tx, this.#random, 'workspace', '');
    workspaces.insert(tx, { id, plan, created: tx.now });
    return id;
  }

  #welcome(tx: Transaction, accountId: string, credits: number): void {
    const granted = Math.min(credits, WELCOME_CREDITS);
    if (granted > 0) grant(tx, this.#random, { accountId, amount: granted });
    if (credits > granted) topUp(tx, this.#random, { accountId, amount: credits - granted });
  }
}

function onlyOwner({ id, workspaceId }: Account): EmulatorError {
  return invalidRequestError(
    'role',
    `${id} is the only owner of ${workspaceId}, and a workspace needs one: make another account its owner first.`,
  );
}

export function accountNotFoundError(id: string): EmulatorError {
  return new EmulatorError('not_found', `There is no account ${quoted(id)}. GET /_emulator/accounts lists them.`);
}

export function workspaceNotFoundError(id: string, param: string | null): EmulatorError {
  return new EmulatorError(
    'not_found',
    `There is no workspace ${quoted(id)}. GET /_emulator/accounts lists every account with its workspace.`,
    { param },
  );
}

export const WELL_KNOWN_KEY = 'svc_sk_local_emulator';

export async function seedState(
  parts: { database: Database; random: Random; accounts: Accounts },
  { credits, demo, world }: Pick<Config, 'credits' | 'demo' | 'world'>,
): Promise<void> {
  const { database, random, accounts } = parts;
  if (readSetting(database, 'seeded_at') !== undefined) return;
  await database.transact((tx) => {
    writeSetting(tx, 'seeded_at', tx.now);
    storeNewUrlSigningSecret(tx, random);
    if (demo) writeSetting(tx, 'demo', 'due');
    if (world) writeSetting(tx, 'world', 'due');
    accounts.openWithin(tx, { name: 'Local', plan: 'studio', credits, key: WELL_KNOWN_KEY });
  });
}

/** The time at which the state was seeded, in milliseconds of the emulator's clock; 0 if it was not seeded. */
export function readSeedTime(database: Database): number {
  return readSetting<number>(database, 'seeded_at') ?? 0;
}
