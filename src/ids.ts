import type { Random } from './random.ts';

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

/** The first digits of an id derive from its owner; the others are its number, and two check digits. */
const OWNER_DIGITS = 16;
const CHECK_DIGITS = 2;

/**
 * The nth id of a kind within its owner: `obj_` and 24 hex digits. In every index the ids of an owner are together and in
 * order, and n can be read from an id; two check digits follow from n, so that a mistyped id is hardly ever another one.
 */
export function makeId(random: Random, kind: IdKind, owner: string, n: number): string {
  const place = n.toString(16).padStart(6, '0');
  const check = Math.imul(n, SPREAD) >>> (32 - 4 * CHECK_DIGITS);
  return `${PREFIX[kind]}_${random.stem(owner, kind)}${place}${check.toString(16).padStart(CHECK_DIGITS, '0')}`;
}

/** The n of an id; undefined for what is no id of that kind and owner. */
export function numberOf(random: Random, kind: IdKind, owner: string, id: string): number | undefined {
  const place = id.slice(PREFIX[kind].length + 1 + OWNER_DIGITS, -CHECK_DIGITS);
  const n = Number.parseInt(place, 16);
  return makeId(random, kind, owner, n) === id ? n : undefined;
}

/** The id of the one record of another kind that belongs to `id`: it has the same digits. */
export function idBeside(id: string, kind: IdKind): string {
  return `${PREFIX[kind]}_${id.slice(id.indexOf('_') + 1)}`;
}
