import type { Reader, Transaction } from './transaction.ts';

/** What each id begins with. */
export const PREFIX = {
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
  unit: 'unit',
  workspace: 'ws',
} as const;

/** The prefixes of secrets, by which the journal recognises and redacts them. */
export const SECRET_PREFIX = { key: 'svc_sk_', signing: 'whsec_' } as const;

export type IdKind = keyof typeof PREFIX;

/** An odd number that spreads neighbours far apart. */
const SPREAD = 0x9e3779b1;

/** The first digits of an id, its stem, derive from its owner; the others are its number, and two check digits. */
export const STEM_DIGITS = 16;
const CHECK_DIGITS = 2;

/** How many stems are remembered. */
const MOST_STEMS = 10_000;

/** The stems of ids: 64 bits in hex, which all ids of a kind within an owner have in common. */
export class Stems {
  readonly #derive: (owner: string, kind: IdKind) => string;
  readonly #known = new Map<string, string>();

  constructor(derive: (owner: string, kind: IdKind) => string) {
    this.#derive = derive;
  }

  of(owner: string, kind: IdKind): string {
    const key = `${owner}:${kind}`;
    const known = this.#known.get(key);
    if (known) return known;
    if (this.#known.size >= MOST_STEMS) this.#known.clear();
    const stem = this.#derive(owner, kind);
    this.#known.set(key, stem);
    return stem;
  }
}

/** The seed of a state, as its ids need it. */
interface IdSource {
  readonly stems: Stems;
}

/**
 * The nth id of a kind within its owner: `obj_` and 24 hex digits. In every index the ids of an owner are together and in
 * order, and n can be read from an id; two check digits follow from n, so that a mistyped id is hardly ever another one.
 */
export function makeId(random: IdSource, kind: IdKind, owner: string, n: number): string {
  const place = n.toString(16).padStart(6, '0');
  const check = Math.imul(n, SPREAD) >>> (32 - 4 * CHECK_DIGITS);
  return `${PREFIX[kind]}_${random.stems.of(owner, kind)}${place}${check.toString(16).padStart(CHECK_DIGITS, '0')}`;
}

/** The n of an id; undefined for what is no id of that kind and owner. */
export function numberOf(random: IdSource, kind: IdKind, owner: string, id: string): number | undefined {
  const place = id.slice(PREFIX[kind].length + 1 + STEM_DIGITS, -CHECK_DIGITS);
  const n = Number.parseInt(place, 16);
  return makeId(random, kind, owner, n) === id ? n : undefined;
}

/** The id of the one record of another kind that belongs to `id`: it has the same digits. */
export function idBeside(id: string, kind: IdKind): string {
  return `${PREFIX[kind]}_${id.slice(id.indexOf('_') + 1)}`;
}

/** Key material kept under a name: the id of an endpoint, or what it signs. */
export function readSecret(db: Reader, name: string): string | undefined {
  return db.get<{ value: string }>('SELECT value FROM secrets WHERE name = ?', name)?.value;
}

export function writeSecret(tx: Transaction, name: string, value: string): void {
  tx.run('INSERT INTO secrets (name, value) VALUES (?, ?)', name, value);
}

export function deleteSecret(tx: Transaction, name: string): void {
  tx.run('DELETE FROM secrets WHERE name = ?', name);
}

// Two plain statements take half the time of one with RETURNING, which keeps its row in a table of its own first.
const LAST = 'SELECT n FROM sequences WHERE owner = ? AND kind = ?';
const FIRST = 'INSERT INTO sequences (owner, kind, n) VALUES (?, ?, 1)';
const NEXT = 'UPDATE sequences SET n = n + 1 WHERE owner = ? AND kind = ?';

/** The next number of a kind within its owner, from 1. */
export function nextNumber(tx: Transaction, owner: string, kind: string): number {
  const last = tx.get<{ n: number }>(LAST, owner, kind)?.n;
  if (last === undefined) tx.run(FIRST, owner, kind);
  else tx.run(NEXT, owner, kind);
  return (last ?? 0) + 1;
}

/** A new id of a kind within its owner: always the same for the same seed and the same number of ids before it. */
export function nextId(tx: Transaction, random: IdSource, kind: IdKind, owner: string): string {
  return makeId(random, kind, owner, nextNumber(tx, owner, kind));
}

const REQUEST = /^req_[0-9a-f]{12}[0-9a-z]{7}$/;

/** Makes unique ids of requests, on which no answer depends. */
export class RequestIds {
  readonly #run: string;
  #last = 0;

  /** `run`: 12 hex digits, by which the requests of one run are known. */
  constructor(run: string) {
    this.#run = run;
  }

  next(): string {
    this.#last += 1;
    return `req_${this.#run}${this.#last.toString(36).padStart(7, '0')}`;
  }
}

/** Which request of its run an id names, from 1; undefined for what is no such id. */
export function requestNumber(id: string): number | undefined {
  return REQUEST.test(id) ? Number.parseInt(id.slice(-7), 36) : undefined;
}

/** What the ids of all requests of one run have in common. */
export function requestRun(id: string): string {
  return id.slice(4, 16);
}
