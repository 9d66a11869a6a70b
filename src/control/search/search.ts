import { Slice } from '../../base/clock/clock.ts';
import type { VirtualClock } from '../../base/clock/virtual-clock.ts';
import type { Database } from '../../base/database/database.ts';
import type { SqlCondition } from '../../base/database/list-queries.ts';
import type { Random } from '../../base/random.ts';
import { nearestName } from '../../base/text.ts';
import type { Journal } from '../../engine/journal/journal.ts';
import { parseSearch, type SearchQuery, termsOf } from './search-query.ts';
import {
  accountNames,
  accountsNamed,
  comparableText,
  countRows,
  type FoundRecord,
  findRows,
  KINDS,
  type Kind,
  MARGIN,
  ownedBy,
  plainConditions,
  requestText,
  type SearchedWord,
  traitConditions,
  wordCondition,
} from './search-store.ts';

const MOST_READ = 1000;
const NOT_A_WORD = /^(?:.{1,2}|[^\p{L}]*)$/su;

const OFFERS = 3;
/** The time limit for suggestions, in milliseconds of real time. */
const NEAREST_WITHIN = 500;

declare module '../../service/http/context.ts' {
  interface Records {
    readonly search: Search;
  }
}

export interface SearchParts {
  clock: VirtualClock;
  journal: Journal;
  database: Database;
  random: Random;
}

interface SearchPage {
  kinds?: readonly Kind[];
  accountId?: string | undefined;
  after?: string | undefined;
  limit: number;
}

/** Newest first. Without results, it contains suggestions. */
interface SearchResult {
  found: FoundRecord[];
  searched: Record<Kind, number>;
  nearest: { q: string; found: number }[];
}

export class Search {
  readonly #parts: SearchParts;

  constructor(parts: SearchParts) {
    this.#parts = parts;
  }

  /** Throws `invalid_request` for a term with an invalid value. */
  async find(q: string, { after, limit, ...page }: SearchPage): Promise<SearchResult> {
    const all = await this.#all(q, page, after === undefined ? limit : undefined);
    // A removed record has no position, so its page begins at the start.
    const first = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
    const found = all.slice(first, first + limit);
    const isNone = all.length === 0 && after === undefined;
    return { found, searched: this.#counts(), nearest: isNone ? await this.#nearest(q, page) : [] };
  }

  /** Newest first. Throws as `find` does. */
  async idsOf(kind: Kind, q: string, page: Omit<SearchPage, 'kinds'>): Promise<string[]> {
    return (await this.find(q, { ...page, kinds: [kind] })).found.map(({ id }) => id);
  }

  /** Newest first. With a limit, reads only as many rows as needed. */
  async #all(q: string, page: Omit<SearchPage, 'after' | 'limit'>, limit?: number): Promise<FoundRecord[]> {
    const { clock, database } = this.#parts;
    const query = parseSearch(q, clock.real());
    // No record contains a NUL, which would end a text in SQL.
    if (query.words.some((word) => word.includes('\0'))) return [];
    const searched = query.words.map((word) => ({ word, owners: accountsNamed(database, word) }));
    const conditionsOf = this.#conditions(query, searched, page.accountId);
    const found: FoundRecord[] = [];
    for (const kind of page.kinds ?? KINDS) {
      const conditions = conditionsOf(kind);
      const rows =
        kind === 'request'
          ? await this.#requests(conditions, limit)
          : findRows(database, kind, { conditions, marks: clock.marks, limit });
      for (const row of rows) found.push(row);
    }
    const since = query.after ?? Number.NEGATIVE_INFINITY;
    const recent = found.filter(({ at }) => at >= since).sort(newestFirst);
    const pieces = searched.filter(({ word }) => NOT_A_WORD.test(word));
    return this.#saying(recent, pieces);
  }

  #conditions(
    { traits, account, ...query }: SearchQuery,
    searched: readonly SearchedWord[],
    accountId: string | undefined,
  ): (kind: Kind) => SqlCondition[] {
    const { database, random } = this.#parts;
    const ofTrait = traitConditions(database, random);
    const owners = account === undefined ? [] : [ownedBy(accountsNamed(database, account))];
    return (kind) => [
      ...(accountId === undefined ? [] : [ownedBy([accountId])]),
      ...plainConditions(kind, query),
      ...owners,
      ...[...new Set(traits)].map((trait) => ofTrait(kind, trait)),
      ...searched.map((word) => wordCondition(kind, word)),
    ];
  }

  async #requests(
    conditions: readonly SqlCondition[],
    limit = Number.POSITIVE_INFINITY,
  ): Promise<readonly FoundRecord[]> {
    const found: FoundRecord[] = [];
    for await (const rows of this.#parts.journal.matching(conditions)) {
      for (const row of rows) found.push({ kind: 'request', ...row });
      if (found.length > limit + MARGIN) break;
    }
    return found;
  }

  async #saying(found: readonly FoundRecord[], pieces: readonly SearchedWord[]): Promise<FoundRecord[]> {
    if (pieces.length === 0) return [...found];
    const slice = new Slice();
    const saying: FoundRecord[] = [];
    for (const [n, record] of found.entries()) {
      if (n >= MOST_READ || record.kind !== 'request' || this.#says(record, pieces)) saying.push(record);
      if (slice.isOver) await slice.turn();
    }
    return saying;
  }

  #says({ id, accountId }: FoundRecord, pieces: readonly SearchedWord[]): boolean {
    const entry = this.#parts.journal.find(id);
    const text = entry === undefined ? '' : requestText(entry);
    return pieces.every(({ word, owners }) => text.includes(comparableText(word)) || owners.includes(accountId ?? ''));
  }

  #counts(): Record<Kind, number> {
    const { database, journal } = this.#parts;
    const count = (kind: Kind) => (kind === 'request' ? journal.count() : countRows(database, kind));
    return Object.fromEntries(KINDS.map((kind) => [kind, count(kind)])) as Record<Kind, number>;
  }

  /**
   * Suggestions: the same search without one term, or with a known spelling. Those that are not counted within half a
   * second are left out.
   */
  async #nearest(q: string, page: Omit<SearchPage, 'after' | 'limit'>): Promise<SearchResult['nearest']> {
    const { clock } = this.#parts;
    const end = clock.real() + NEAREST_WITHIN;
    const nearest: SearchResult['nearest'] = [];
    for (const offer of new Set(this.#offers(q))) {
      if (clock.real() > end) break;
      const { length: found } = await this.#all(offer, page);
      if (found > 0) nearest.push({ q: offer, found });
      if (nearest.length === OFFERS) break;
    }
    return nearest;
  }

  *#offers(q: string): Generator<string> {
    const terms = termsOf(q);
    for (const term of terms) {
      const others = terms.filter((other) => other !== term).map(({ text }) => text);
      const known = this.#knownLike(term.name, term.value);
      if (known !== undefined)
        yield [...others, `${term.name}:${known.includes(' ') ? `"${known}"` : known}`].join(' ');
      if (others.length > 0) yield others.join(' ');
    }
  }

  #knownLike(name: string | undefined, value: string): string | undefined {
    if (name === 'account') return nearestName(value, accountNames(this.#parts.database));
    if (name !== 'model' && name !== 'path') return undefined;
    return nearestName(value, this.#parts.journal.values(name));
  }
}

function newestFirst(a: FoundRecord, b: FoundRecord): number {
  return b.at - a.at || KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || b.position - a.position;
}
