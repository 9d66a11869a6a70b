import { hash } from 'node:crypto';
import type { Database } from '../database/database.ts';
import { nextId, nextNumber } from '../database/setting-store.ts';
import type { Transaction } from '../database/transaction.ts';
import { EmulatorError, invalid } from '../errors.ts';
import { SECRET_PREFIX } from '../ids.ts';
import { type Entry, grant, topUp } from '../ledger/ledger.ts';
import type { Random } from '../random.ts';
import {
  type Account,
  type Caller,
  countOwners,
  findAccount,
  findCaller,
  findPlan,
  findRevokedCaller,
  insertAccount,
  insertKey,
  insertWorkspace,
  revokeKey,
  updateAccount,
  updatePlan,
} from './account-store.ts';
import type { Plan } from './plans.ts';
import type { Role } from './roles.ts';

/** Credits that every new account is given. */
export const WELCOME_CREDITS = 50;

export interface NewAccount {
  name?: string;
  /** Joins this workspace; without it a new one is made. */
  workspaceId?: string;
  plan?: Plan;
  role?: Role;
  /** A grant of at most 50 and a top-up of the rest. */
  credits?: number;
  /** A well-known key instead of a secret one. */
  key?: string;
}

export interface OpenedAccount {
  account: Account;
  /** Shown once; only its hash is kept. */
  apiKey: string;
}

/** Workspaces, accounts, roles, plans and keys. */
export class Accounts {
  readonly #database: Database;
  readonly #random: Random;
  /** By the key's text; emptied by whatever changes a key, a role or a plan. */
  readonly #callers = new Map<string, Caller>();

  constructor(parts: { database: Database; random: Random }) {
    this.#database = parts.database;
    this.#random = parts.random;
  }

  /** Whom a key speaks for; undefined for one that is unknown or revoked. */
  authenticate(key: string): Caller | undefined {
    const known = this.#callers.get(key);
    if (known) return known;
    if (!key.startsWith(SECRET_PREFIX.key)) return undefined;
    const caller = findCaller(this.#database, keyHash(key));
    if (caller) this.#callers.set(key, caller);
    return caller;
  }

  /** Whom a key spoke for until it was revoked. */
  revokedCaller(key: string): Caller | undefined {
    return findRevokedCaller(this.#database, keyHash(key));
  }

  /** Forgets who is who: a reset or a restore has changed it. */
  forget(): void {
    this.#callers.clear();
  }

  open(order: NewAccount): Promise<OpenedAccount> {
    return this.#database.transact((tx) => this.openWithin(tx, order));
  }

  openWithin(tx: Transaction, order: NewAccount): OpenedAccount {
    const workspaceId = order.workspaceId ?? this.#openWorkspace(tx, order.plan ?? 'payg');
    if (!findPlan(tx, workspaceId)) throw noWorkspace(workspaceId, 'workspace_id');
    const id = nextId(tx, this.#random, 'account', '');
    const role = order.role ?? (order.workspaceId ? 'member' : 'owner');
    insertAccount(tx, { id, workspaceId, name: order.name ?? id, role, created: tx.now });
    this.#welcome(tx, id, order.credits ?? WELCOME_CREDITS);
    const { apiKey } = this.addKeyWithin(tx, id, order.key);
    const account = findAccount(tx, id);
    if (!account) throw new Error(`account ${id} was not written`);
    return { account, apiKey };
  }

  addKey(accountId: string): Promise<{ id: string; apiKey: string }> {
    return this.#database.transact((tx) => {
      if (!findAccount(tx, accountId)) throw noAccount(accountId);
      return this.addKeyWithin(tx, accountId);
    });
  }

  addKeyWithin(tx: Transaction, accountId: string, wellKnown?: string): { id: string; apiKey: string } {
    const n = nextNumber(tx, accountId, 'secret-key');
    const apiKey = wellKnown ?? `${SECRET_PREFIX.key}${this.#random.token(accountId, 'key', n)}`;
    const id = nextId(tx, this.#random, 'key', accountId);
    insertKey(tx, { id, accountId, hash: keyHash(apiKey) });
    return { id, apiKey };
  }

  revokeKey(id: string): Promise<void> {
    return this.#database.transact((tx) => {
      if (!revokeKey(tx, id)) throw noKey(id);
      tx.onCommit(() => this.forget());
    });
  }

  /** What is left out stays. A workspace keeps an owner: who pays for what belongs to it as a whole. */
  change(id: string, change: { name?: string; role?: Role }): Promise<void> {
    return this.#database.transact((tx) => {
      const account = findAccount(tx, id);
      if (!account) throw noAccount(id);
      const { name = account.name, role = account.role } = change;
      const leaves = account.role === 'owner' && role !== 'owner';
      if (leaves && countOwners(tx, account.workspaceId) === 1) throw onlyOwner(account);
      updateAccount(tx, { id, name, role });
      tx.onCommit(() => this.forget());
    });
  }

  setPlan(workspaceId: string, plan: Plan): Promise<void> {
    return this.#database.transact((tx) => {
      if (!updatePlan(tx, workspaceId, plan)) throw noWorkspace(workspaceId, null);
      tx.onCommit(() => this.forget());
    });
  }

  topUp(accountId: string, amount: number): Promise<Entry> {
    return this.#database.transact((tx) => {
      if (!findAccount(tx, accountId)) throw noAccount(accountId);
      return topUp(tx, this.#random, { accountId, amount });
    });
  }

  #openWorkspace(tx: Transaction, plan: Plan): string {
    const id = nextId(tx, this.#random, 'workspace', '');
    insertWorkspace(tx, id, plan);
    return id;
  }

  #welcome(tx: Transaction, accountId: string, credits: number): void {
    const granted = Math.min(credits, WELCOME_CREDITS);
    if (granted > 0) grant(tx, this.#random, { accountId, amount: granted });
    if (credits > granted) topUp(tx, this.#random, { accountId, amount: credits - granted });
  }
}

function keyHash(key: string): string {
  return hash('sha256', key, 'hex');
}

export function noKey(id: string): EmulatorError {
  return new EmulatorError(
    'not_found',
    `There is no working key "${id.slice(0, 80)}"; it was never made or is revoked already.`,
  );
}

function onlyOwner({ id, workspaceId }: Account): EmulatorError {
  return invalid(
    'role',
    `${id} is the only owner of ${workspaceId}, and a workspace has one: make another account its owner first.`,
  );
}

export function noAccount(id: string): EmulatorError {
  return new EmulatorError(
    'not_found',
    `There is no account "${id.slice(0, 80)}"; GET /_emulator/accounts lists those there are.`,
  );
}

export function noWorkspace(id: string, param: string | null): EmulatorError {
  return new EmulatorError(
    'not_found',
    `There is no workspace "${id}"; every account of GET /_emulator/accounts names its own.`,
    { param },
  );
}
