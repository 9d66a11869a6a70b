import type { Reader } from './reader.ts';
import type { Transaction } from './transaction.ts';

const PREFIX = {
  account: 'acct',
  completion: 'chatcmpl',
  delivery: 'dlv',
  element: 'el',
  entry: 'le',
  endpoint: 'we',
  event: 'evt',
  fault: 'flt',
  fixture: 'fix',
  flow: 'flow',
  job: 'job',
  key: 'key',
  library: 'lib',
  message: 'msg',
  object: 'obj',
  post: 'post',
  run: 'run',
  test: 'test',
  workspace: 'ws',
} as const;

/** The journal finds and redacts secrets by these prefixes. */
export const SECRET_PREFIXES = { key: 'svc_sk_', signing: 'whsec_' } as const;

type IdKind = keyof typeof PREFIX;

/** Multiplying by this number (about 2^32 divided by the golden ratio) gives close numbers distant check digits. */
const SPREAD = 0x9e3779b1;

export const ID_STEM_DIGITS = 16;
const CHECK_DIGITS = 2;

const MAX_STEMS = 10_000;

export class IdStems {
  readonly #derive: (owner: string, kind: IdKind) => string;
  readonly #known = new Map<string, string>();

  constructor(derive: (owner: string, kind: IdKind) => string) {
    this.#derive = derive;
  }

  of(owner: string, kind: IdKind): string {
    const key = `${owner}:${kind}`;
    const known = this.#known.get(key);
    if (known) return known;
    if (this.#known.size >= MAX_STEMS) this.#known.clear();
    const stem = this.#derive(owner, kind);
    this.#known.set(key, stem);
    return stem;
  }
}

interface IdSource {
  readonly stems: IdStems;
}

/**
 * An id is a prefix and 24 hex digits. Ids of one kind and owner are adjacent and ordered in an index, and `n` can be read
 * from an id. Because of the check digits, a mistyped id hardly ever matches another one.
 */
export function makeId(random: IdSource, kind: IdKind, owner: string, n: number): string {
  const place = n.toString(16).padStart(6, '0');
  const check = Math.imul(n, SPREAD) >>> (32 - 4 * CHECK_DIGITS);
  return `${PREFIX[kind]}_${random.stems.of(owner, kind)}${place}${check.toString(16).padStart(CHECK_DIGITS, '0')}`;
}

export function parseIdNumber(random: IdSource, kind: IdKind, owner: string, id: string): number | undefined {
  const place = id.slice(PREFIX[kind].length + 1 + ID_STEM_DIGITS, -CHECK_DIGITS);
  const n = Number.parseInt(place, 16);
  return makeId(random, kind, owner, n) === id ? n : undefined;
}

/** The id of the only related record of another kind, such as the event of a job. Both ids have the same digits. */
export function deriveRelatedId(id: string, kind: IdKind): string {
  return `${PREFIX[kind]}_${id.slice(id.indexOf('_') + 1)}`;
}

export function readSecret(db: Reader, name: string): string | undefined {
  return db.get<{ value: string }>('SELECT value FROM secrets WHERE name = ?', name)?.value;
}

export function writeSecret(tx: Transaction, name: string, value: string): void {
  tx.run('INSERT INTO secrets (name, value) VALUES (?, ?)', name, value);
}

export function deleteSecret(tx: Transaction, name: string): void {
  tx.run('DELETE FROM secrets WHERE name = ?', name);
}

export function readSetting<T>(db: Reader, name: string): T | undefined {
  const row = db.get<{ value: string }>('SELECT value FROM settings WHERE name = ?', name);
  return row && (JSON.parse(row.value) as T);
}

export function writeSetting(tx: Transaction, name: string, value: unknown): void {
  tx.run(
    'INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
    name,
    JSON.stringify(value),
  );
}

const NEXT = 'INSERT INTO sequences (owner, kind, n) VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET n = n + 1 RETURNING n';

export function nextSequenceNumber(tx: Transaction, owner: string, kind: string): number {
  return (tx.get<{ n: number }>(NEXT, owner, kind) as { n: number }).n;
}

export function nextId(tx: Transaction, random: IdSource, kind: IdKind, owner: string): string {
  return makeId(random, kind, owner, nextSequenceNumber(tx, owner, kind));
}

const REQUEST = /^req_[0-9a-f]{12}[0-9a-z]{7}$/;

export class RequestIds {
  readonly #run: string;
  #last = 0;

  constructor(run: string) {
    this.#run = run;
  }

  next(): string {
    this.#last += 1;
    return `req_${this.#run}${this.#last.toString(36).padStart(7, '0')}`;
  }
}

export function parseRequestIdNumber(id: string): number | undefined {
  return REQUEST.test(id) ? Number.parseInt(id.slice(-7), 36) : undefined;
}

export function emulatorRunOfRequestId(id: string): string {
  return id.slice(4, 16);
}
