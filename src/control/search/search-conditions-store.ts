import { makeId } from '../../base/database/id-store.ts';
import type { Reader } from '../../base/database/transaction.ts';
import type { Random } from '../../base/random.ts';
import type { Condition, Kind } from './indexed-text.ts';
import type { SearchQuery, Trait } from './search-query.ts';

type PlainQuery = Pick<SearchQuery, 'status' | 'took' | 'after' | 'model' | 'path'>;

export function plainConditions({ status, took, after, model, path }: PlainQuery): Condition[] {
  return [
    ...(status ? [{ sql: 'status BETWEEN ? AND ?', values: [...status] }] : []),
    ...(took ? [{ sql: 'took BETWEEN ? AND ?', values: [...took] }] : []),
    ...(after === undefined ? [] : [{ sql: 'place >= ?', values: [Math.floor(after) * 4096] }]),
    ...(model === undefined ? [] : [{ sql: 'instr(lower(model), ?) > 0', values: [model.toLowerCase()] }]),
    ...(path === undefined ? [] : [{ sql: 'instr(path, ?) > 0', values: [path] }]),
  ];
}

/** A word of a search, and the accounts whose name has it too. */
interface SearchedWord {
  word: string;
  owners: readonly string[];
}

/** Pieces of text as the index has them. */
export function searchedWords(db: Reader, words: readonly string[]): SearchedWord[] {
  return words.map((word) => ({ word: word.toLowerCase().normalize('NFC'), owners: accountsNamed(db, word) }));
}

/** A query of the index, by trigrams, for what may hold the words; undefined where the index does not narrow it. */
export function matchOf(words: readonly SearchedWord[]): string | undefined {
  const trigrams = words.flatMap(({ word, owners }) => (owners.length > 0 ? [] : trigramsOf(Array.from(word))));
  return trigrams.length === 0 ? undefined : trigrams.map((each) => `"${each.replaceAll('"', '""')}"`).join(' AND ');
}

/** One after the other, and the last; none of a shorter word. */
function trigramsOf(letters: readonly string[]): string[] {
  const starts = letters.flatMap((_, at) => (at % 3 === 0 ? Math.min(at, letters.length - 3) : []));
  return starts.filter((at) => at >= 0).map((at) => letters.slice(at, at + 3).join(''));
}

/** A record whose text contains a word, or that belongs to an account of that name. */
export function wordOrOwner({ word, owners }: SearchedWord): Condition {
  const contains = { sql: 'instr(text, ?) > 0', values: [word] };
  return owners.length === 0 ? contains : anyOf([ownedBy(owners), contains]);
}

export function ownedBy(accountIds: readonly string[]): Condition {
  return isOneOf('account_id', accountIds);
}

export function ofKind(kinds: readonly Kind[]): Condition {
  return isOneOf('kind', kinds);
}

function isOneOf(column: string, values: readonly string[]): Condition {
  return { sql: `${column} IN (SELECT value FROM json_each(?))`, values: [JSON.stringify(values)] };
}

/** A record that is one of these, or that led to one. */
function among(ids: readonly string[]): Condition {
  const led = isOneOf('ref', ids);
  const madeOne = { sql: `place IN (SELECT place FROM refs WHERE made = 1 AND ${led.sql})`, values: led.values };
  return anyOf([isOneOf('id', ids), madeOne]);
}

function anyOf(conditions: readonly Condition[]): Condition {
  const sql = `(${conditions.map((each) => each.sql).join(' OR ')})`;
  return { sql, values: conditions.flatMap(({ values }) => values) };
}

function noneOf(conditions: readonly Condition[]): Condition {
  const any = anyOf(conditions);
  return { sql: `NOT ${any.sql}`, values: any.values };
}

/** A request that was refused or failed. */
const REFUSED: Condition = { sql: "(kind = 'request' AND (status = 0 OR status >= 400))", values: [] };

/** Of a request, what does not change; of everything else, what the database says now: each is read once in a search. */
export function traitConditions(db: Reader, random: Random): (trait: Trait) => Condition {
  const refunded = () => refundedWork(db, random);
  const failed = () => [...refunded(), ...refusedWork(db), ...idsOf(db, FAILED_RUNS)];
  const changing: Partial<Record<Trait, () => Condition>> = {
    'has:refund': () => among(refunded()),
    'is:open': () => among(idsOf(db, OPEN)),
    'is:waiting': () => among(idsOf(db, WAITING)),
    'is:refused': () => among(refusedWork(db)),
    'is:failed': () => anyOf([REFUSED, among(failed())]),
    'is:done': () => noneOf([REFUSED, among([...failed(), ...idsOf(db, OPEN)])]),
  };
  const known = new Map<Trait, Condition>();
  return (trait) => {
    const condition = known.get(trait) ??
      changing[trait]?.() ?? { sql: 'instr(traits, ?) > 0', values: [` ${trait} `] };
    known.set(trait, condition);
    return condition;
  };
}

/** How many of the newest are looked at for what has no index. */
const NEWEST = 20_000;

const OPEN = `SELECT id FROM jobs WHERE completed IS NULL UNION ALL SELECT id FROM runs WHERE status = 'running'`;
const WAITING = "SELECT id FROM runs WHERE status = 'waiting'";
const FAILED_RUNS = `SELECT id FROM runs WHERE status = 'failed' ORDER BY position DESC LIMIT ${NEWEST}`;

function idsOf(db: Reader, sql: string, ...values: string[]): string[] {
  return db.all<{ id: string }>(sql, ...values).map(({ id }) => id);
}

/** Jobs whose charge came back, and the charges. */
function refundedWork(db: Reader, random: Random): string[] {
  const rows = db.all<{ accountId: string; n: number; jobId: string | null }>(
    `SELECT r.account_id AS accountId, r.refund_of AS n, c.job_id AS jobId FROM ledger r
     JOIN ledger c ON c.account_id = r.account_id AND c.n = r.refund_of WHERE r.refund_of IS NOT NULL LIMIT ${NEWEST}`,
  );
  return rows.flatMap(({ accountId, n, jobId }) => {
    const charge = makeId(random, 'entry', accountId, n);
    return jobId === null ? [charge] : [jobId, charge];
  });
}

/** Deliveries that failed, and the jobs and runs that they report. */
function refusedWork(db: Reader): string[] {
  const rows = db.all<{ id: string; ref: string | null }>(
    `SELECT d.id, COALESCE(e.run_id, e.job_id) AS ref
     FROM (SELECT id, event_id, endpoint_id, status FROM deliveries ORDER BY position DESC LIMIT ${NEWEST}) d
     JOIN events e ON e.id = d.event_id
     WHERE d.status = 'failed' AND NOT EXISTS (SELECT 1 FROM deliveries again WHERE again.redelivery_of IS NOT NULL
       AND again.event_id = d.event_id AND again.endpoint_id = d.endpoint_id AND again.status = 'delivered')`,
  );
  return rows.flatMap(({ id, ref }) => (ref === null ? [id] : [id, ref]));
}

/** Accounts whose name or id has a piece of text in it. */
export function accountsNamed(db: Reader, text: string): string[] {
  const sql =
    'SELECT id FROM accounts WHERE instr(lower(name), ?) > 0 OR instr(id, ?) = 1 ORDER BY position LIMIT 1000';
  return idsOf(db, sql, text.toLowerCase(), text);
}

/** Names of accounts, newest first. */
export function accountNames(db: Reader): string[] {
  return db.all<{ name: string }>('SELECT name FROM accounts ORDER BY position DESC LIMIT 500').map(({ name }) => name);
}
