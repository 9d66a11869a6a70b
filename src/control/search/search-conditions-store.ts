import type { VirtualClock } from '../../base/clock/clock.ts';
import type { Database } from '../../base/database/database.ts';
import { makeId } from '../../base/database/id-store.ts';
import type { Random } from '../../base/random.ts';
import { failedRuns, openWork, refundedCharges, refusedWork, waitingRuns } from './indexed-store.ts';
import type { Condition, FoundDoc, Kind } from './indexed-text.ts';
import type { SearchIndex } from './search-index.ts';
import type { SearchQuery, Trait } from './search-query.ts';

/** A request that was refused or failed. */
const REFUSED: Condition = { sql: "(kind = 'request' AND (status = 0 OR status >= 400))", values: [] };

export function plainConditions({ status, took, after, model, path }: SearchQuery): Condition[] {
  return [
    ...(status ? [{ sql: 'status BETWEEN ? AND ?', values: [...status] }] : []),
    ...(took ? [{ sql: 'took BETWEEN ? AND ?', values: [...took] }] : []),
    ...(after === undefined ? [] : [{ sql: 'place >= ?', values: [Math.floor(after) * 4096] }]),
    ...(model === undefined ? [] : [{ sql: 'instr(lower(model), ?) > 0', values: [model.toLowerCase()] }]),
    ...(path === undefined ? [] : [{ sql: 'instr(path, ?) > 0', values: [path] }]),
  ];
}

/** A word of a search, and the accounts whose name has it too. */
export interface SearchedWord {
  word: string;
  owners: readonly string[];
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
  return { sql: 'account_id IN (SELECT value FROM json_each(?))', values: [JSON.stringify(accountIds)] };
}

/** A record that is one of these, or that led to one. */
function among(ids: readonly string[]): Condition {
  const list = JSON.stringify(ids);
  return {
    sql: `(id IN (SELECT value FROM json_each(?)) OR place IN
      (SELECT place FROM refs WHERE made = 1 AND ref IN (SELECT value FROM json_each(?))))`,
    values: [list, list],
  };
}

function anyOf(conditions: readonly Condition[]): Condition {
  const sql = `(${conditions.map((each) => each.sql).join(' OR ')})`;
  return { sql, values: conditions.flatMap(({ values }) => values) };
}

function noneOf(conditions: readonly Condition[]): Condition {
  const any = anyOf(conditions);
  return { sql: `NOT ${any.sql}`, values: any.values };
}

/** Of one of some kinds. */
export function ofKind(kinds: readonly string[]): Condition {
  return { sql: 'kind IN (SELECT value FROM json_each(?))', values: [JSON.stringify(kinds)] };
}

/** Of a request with a trait that does not change. */
function bearing(trait: string): Condition {
  return { sql: 'instr(traits, ?) > 0', values: [` ${trait} `] };
}

/** Which of what fits: of some kinds, of one account or of all, after the id of the last one seen. */
export interface SearchPage {
  kinds?: readonly Kind[];
  accountId?: string | undefined;
  after?: string | undefined;
  limit: number;
}

/** What was found, newest first; and, of nothing, what was searched and what would be found instead. */
export interface SearchResult {
  found: FoundDoc[];
  searched: Record<Kind, number>;
  nearest: { q: string; found: number }[];
}

export interface SearchingParts {
  clock: VirtualClock;
  database: Database;
  random: Random;
  index: SearchIndex;
}

/** From where it is searched, and until when. */
export interface Effort {
  before?: number | undefined;
  state: StateIds;
  isLate?: () => boolean;
}

/** The ids of what has a trait in the database now: each is read once in a search. */
export class StateIds {
  readonly #parts: Pick<SearchingParts, 'database' | 'random'>;
  readonly #conditions = new Map<Trait, Condition>();

  constructor(parts: Pick<SearchingParts, 'database' | 'random'>) {
    this.#parts = parts;
  }

  condition(trait: Trait): Condition {
    const known = this.#conditions.get(trait) ?? this.#made(trait);
    this.#conditions.set(trait, known);
    return known;
  }

  #made(trait: Trait): Condition {
    const { database } = this.#parts;
    if (trait === 'has:refund') return among(this.#refunded());
    if (trait === 'is:open') return among(openWork(database));
    if (trait === 'is:waiting') return among(waitingRuns(database));
    if (trait === 'is:refused') return among(refusedWork(database));
    if (trait === 'is:failed') return anyOf([REFUSED, among(this.#failed())]);
    if (trait === 'is:done') return noneOf([REFUSED, among([...this.#failed(), ...openWork(database)])]);
    return bearing(trait);
  }

  /** Jobs whose charge was refunded, and the charges. */
  #refunded(): string[] {
    const { database, random } = this.#parts;
    return refundedCharges(database).flatMap(({ accountId, n, jobId }) => {
      const charge = makeId(random, 'entry', accountId, n);
      return jobId === null ? [charge] : [jobId, charge];
    });
  }

  #failed(): string[] {
    const { database } = this.#parts;
    return [...this.#refunded(), ...refusedWork(database), ...failedRuns(database)];
  }
}
