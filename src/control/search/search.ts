import { nearestName } from '../../base/config/edit-distance.ts';
import { accountNames, accountsNamed } from './indexed-store.ts';
import { type Condition, type FoundDoc, KINDS, type Kind } from './indexed-text.ts';
import {
  type Effort,
  matchOf,
  ofKind,
  ownedBy,
  plainConditions,
  type SearchedWord,
  type SearchingParts,
  type SearchPage,
  type SearchResult,
  StateIds,
  wordOrOwner,
} from './search-conditions-store.ts';
import type { SearchDocs } from './search-docs-store.ts';
import { parseSearch, type SearchQuery, termsOf } from './search-query.ts';

/** How many of an offer are counted. */
const MOST_COUNTED = 1000;
const OFFERS = 3;
/** How long offers are counted, in milliseconds of real time. */
const NEAREST_WITHIN = 500;

declare module '../../service/http/context.ts' {
  interface Context {
    /** Finds in all that is on record. */
    readonly search: Search;
  }
}

/** Finds by words and tokens in all that is on record. */
export class Search {
  readonly #parts: SearchingParts;

  constructor(parts: SearchingParts) {
    this.#parts = parts;
  }

  get docs(): SearchDocs {
    return this.#parts.index.docs;
  }

  /** The index of all that is on record now. Throws `storage_full` where the disk does not take even that. */
  async ready(): Promise<SearchDocs> {
    await this.#parts.index.caughtUp();
    return this.docs;
  }

  wake(): void {
    this.#parts.index.wake();
  }

  close(): void {
    this.#parts.index.close();
  }

  /** Throws `invalid_request` for a token whose value it cannot read. */
  async find(q: string, page: SearchPage): Promise<SearchResult> {
    const query = this.#parse(q);
    const docs = await this.ready();
    const before = page.after === undefined ? undefined : docs.placeOf(page.after);
    const state = new StateIds(this.#parts);
    const found = await this.#found(query, page, { before, state });
    const isNone = found.length === 0 && page.after === undefined;
    return { found, searched: docs.counts(), nearest: isNone ? await this.#nearest(q, page, state) : [] };
  }

  /** Ids of one kind that fit, newest first. Throws as `find`. */
  async idsOf(kind: Kind, q: string, page: Omit<SearchPage, 'kinds'>): Promise<string[]> {
    return (await this.find(q, { ...page, kinds: [kind] })).found.map(({ id }) => id);
  }

  #parse(q: string): SearchQuery {
    return parseSearch(q, this.#parts.clock.real());
  }

  async #found(
    query: SearchQuery,
    { kinds = KINDS, accountId, limit }: SearchPage,
    { before = Number.MAX_SAFE_INTEGER, state, isLate }: Effort,
  ): Promise<FoundDoc[]> {
    // A NUL is in no record, and would end the text that is looked for.
    if (query.words.some((word) => word.includes('\0'))) return [];
    const owner = accountId === undefined ? [] : [ownedBy([accountId])];
    const ofKinds = kinds.length === KINDS.length ? [] : [ofKind(kinds)];
    const words = this.#searched(query.words);
    // What is dear comes last: a record is read as far as it fits.
    const all = [
      ...owner,
      ...ofKinds,
      ...plainConditions(query),
      ...this.#stateConditions(query, state),
      ...words.map(wordOrOwner),
    ];
    return this.docs.find(all, { match: matchOf(words), before, limit, isLate });
  }

  #searched(words: readonly string[]): SearchedWord[] {
    const { database } = this.#parts;
    return words.map((word) => ({ word: word.toLowerCase().normalize('NFC'), owners: accountsNamed(database, word) }));
  }

  #stateConditions({ traits, account }: SearchQuery, state: StateIds): Condition[] {
    const owners = account === undefined ? [] : [ownedBy(accountsNamed(this.#parts.database, account))];
    return [...owners, ...[...new Set(traits)].map((trait) => state.condition(trait))];
  }

  /**
   * The same search with one of its terms left out, or spelled as something that there is. What is not counted within
   * half a second is not offered.
   */
  async #nearest(q: string, page: SearchPage, state: StateIds): Promise<SearchResult['nearest']> {
    const { clock } = this.#parts;
    const end = clock.real() + NEAREST_WITHIN;
    const isLate = () => clock.real() > end;
    const nearest: SearchResult['nearest'] = [];
    const offered = new Set<string>();
    for (const offer of this.#offers(q)) {
      if (offered.has(offer)) continue;
      offered.add(offer);
      const found = await this.#found(this.#parse(offer), { ...page, limit: MOST_COUNTED }, { state, isLate });
      if (isLate()) break;
      if (found.length > 0) nearest.push({ q: offer, found: found.length });
      if (nearest.length === OFFERS) break;
    }
    return nearest;
  }

  *#offers(q: string): Generator<string> {
    const terms = termsOf(q);
    for (const term of terms) {
      const others = terms.filter((other) => other !== term).map(({ text }) => text);
      const known = this.#knownLike(term.name, term.value);
      if (known !== undefined) yield [...others, `${term.name}:${quoted(known)}`].join(' ');
      if (others.length > 0) yield others.join(' ');
    }
  }

  #knownLike(name: string | undefined, value: string): string | undefined {
    const { database } = this.#parts;
    if (name === 'account') return nearestName(value, accountNames(database));
    if (name !== 'model' && name !== 'path') return undefined;
    return nearestName(value, this.docs.values(name, 200));
  }
}

function quoted(value: string): string {
  return value.includes(' ') ? `"${value}"` : value;
}
