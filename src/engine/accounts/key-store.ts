import { hash } from 'node:crypto';
import type { Database } from '../../base/database/database.ts';
import { nextId, nextSequenceNumber, SECRET_PREFIXES } from '../../base/database/id-store.ts';
import type { Reader } from '../../base/database/reader.ts';
import { integer, type RowOf, table, text } from '../../base/database/table.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import { EmulatorError, quoted } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import type { MemberRole, WorkspacePlan } from './account-store.ts';

export const keys = table('keys', {
  id: text,
  accountId: text,
  hash: text,
  created: integer,
  revoked: integer.nullable(),
});

export interface Caller {
  keyId: string;
  accountId: string;
  workspaceId: string;
  role: MemberRole;
  plan: WorkspacePlan;
}

const CALLER = `SELECT k.id AS keyId, a.id AS accountId, a.workspace_id AS workspaceId, a.role, w.plan
     FROM keys k JOIN accounts a ON a.id = k.account_id JOIN workspaces w ON w.id = a.workspace_id`;

function findCaller(db: Reader, keyHash: string): Caller | undefined {
  return db.get<Caller>(`${CALLER} WHERE k.hash = ? AND k.revoked IS NULL`, keyHash);
}

const listedKeys = keys.pick('id', 'created', 'revoked');

export type ListedKey = RowOf<typeof listedKeys>;

export function listKeys(db: Reader, accountId: string, limit: number): ListedKey[] {
  const sql = `${listedKeys.select} WHERE account_id = ? ORDER BY created DESC, id DESC LIMIT ?`;
  return listedKeys.all(db, sql, accountId, limit);
}

function revokeKey(tx: Transaction, id: string): boolean {
  return tx.run('UPDATE keys SET revoked = ? WHERE id = ? AND revoked IS NULL', tx.now, id) === 1;
}

const BEARER = /^Bearer +(\S+) *$/i;
const GIVEN = /^Bearer +\S/i;

export class Keys {
  readonly #database: Database;
  readonly #random: Random;
  readonly #callers = new Map<string, Caller>();

  constructor(parts: { database: Database; random: Random }) {
    this.#database = parts.database;
    this.#random = parts.random;
  }

  authenticate(authorization: string | undefined): Caller {
    const caller = this.find(authorization);
    if (caller) return caller;
    throw GIVEN.test(authorization ?? '') ? invalidKey() : missingKey(authorization ?? '');
  }

  find(authorization: string | undefined): Caller | undefined {
    const key = bearerKey(authorization);
    return key ? this.callerOf(key) : undefined;
  }

  callerOf(key: string): Caller | undefined {
    const known = this.#callers.get(key);
    if (known) return known;
    if (!key.startsWith(SECRET_PREFIXES.key)) return undefined;
    const caller = findCaller(this.#database, keyHash(key));
    if (caller) this.#callers.set(key, caller);
    return caller;
  }

  /** Empties the cache of callers. Call it after a change of a key, a role, a plan or the whole state. */
  forget(): void {
    this.#callers.clear();
  }

  add(accountId: string): Promise<{ id: string; apiKey: string }> {
    return this.#database.transact((tx) => this.addWithin(tx, accountId));
  }

  addWithin(tx: Transaction, accountId: string, wellKnown?: string): { id: string; apiKey: string } {
    const n = nextSequenceNumber(tx, accountId, 'secret-key');
    const apiKey = wellKnown ?? `${SECRET_PREFIXES.key}${this.#random.token(accountId, 'key', n)}`;
    const id = nextId(tx, this.#random, 'key', accountId);
    const hashed = keyHash(apiKey);
    keys.insert(tx, { id, accountId, hash: hashed, created: tx.now });
    // Reads the caller now, because reading it after the commit is slow and a new key is usually used soon.
    const caller = findCaller(tx, hashed);
    tx.onCommit(() => caller && this.#callers.set(apiKey, caller));
    return { id, apiKey };
  }

  revoke(id: string): Promise<void> {
    return this.#database.transact((tx) => {
      if (!revokeKey(tx, id)) throw noKey(id);
      tx.onCommit(() => this.forget());
    });
  }
}

function bearerKey(authorization: string | undefined): string | undefined {
  return authorization && BEARER.exec(authorization)?.[1];
}

function keyHash(key: string): string {
  return hash('sha256', key, 'hex');
}

function noKey(id: string): EmulatorError {
  return new EmulatorError(
    'not_found',
    `There is no working key ${quoted(id)}: it never existed or is already revoked.`,
  );
}

function missingKey(authorization: string): EmulatorError {
  return new EmulatorError(
    'missing_api_key',
    `${missingPart(authorization.trim())} Send the header Authorization: Bearer svc_sk_…; every emulator accepts svc_sk_local_emulator.`,
  );
}

/** Says what the Authorization header lacks. Repeats at most the scheme, because the rest may be a secret. */
function missingPart(authorization: string): string {
  if (authorization === '') return 'No API key was given.';
  if (/^Bearer$/i.test(authorization)) return 'The Authorization header has no key after Bearer.';
  if (authorization.startsWith(SECRET_PREFIXES.key)) {
    return 'The Authorization header has a key without the word Bearer and a space before it.';
  }
  const [, scheme] = /^([a-z][a-z-]{0,19}) /i.exec(authorization) ?? [];
  if (scheme) return `The Authorization header has the scheme ${scheme}; only the scheme Bearer is accepted.`;
  return 'The Authorization header does not begin with the word Bearer.';
}

function invalidKey(): EmulatorError {
  return new EmulatorError(
    'invalid_api_key',
    'This API key is unknown or revoked. Use svc_sk_local_emulator, or make an account with POST /_emulator/accounts.',
  );
}
