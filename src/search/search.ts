import type { VirtualClock } from '../clock/virtual-clock.ts';
import { nearestName } from '../config/edit-distance.ts';
import type { Database } from '../database/database.ts';
import { makeId } from '../ids.ts';
import type { Random } from '../random.ts';
import {
  accountNames,
  accountsNamed,
  failedRuns,
  openWork,
  refundedCharges,
  refusedWork,
  waitingRuns,
} from './indexed-store.ts';
import {
  among,
  anyOf,
  bearing,
  NOTHING,
  noneOf,
  ofKind,
  ownedBy,
  plainConditions,
  REFUSED,
  wordOrOwner,
} from './search-conditions-store.ts';
import type { SearchDocs } from './search-docs.ts';
import { type Condition, type FoundDoc, KINDS, type Kind } from './search-docs-store.ts';
import type { SearchIndex } from './search-index.ts';
import { parseSearch, type SearchQuery, type Trait, termsOf } from './search-query.ts';

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

/** How many of an offer are counted. */
const MOST_COUNTED = 1000;
const OFFERS = 3;
/** How long offers are counted, in milliseconds of real time. */
const NEAREST_WITHIN = 500;

/** From where it is searched, and until when. */
interface Effort {
  before?: number | undefined;
  state: StateIds;
  isLate?: () => boolean;
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

  #found(
    query: SearchQuery,
    { kinds = KINDS, accountId, limit }: SearchPage,
    { before = Number.MAX_SAFE_INTEGER, state, isLate }: Effort,
  ): Promise<FoundDoc[]> {
    const owner = accountId === undefined ? [] : [ownedBy([accountId])];
    const ofKinds = kinds.length === KINDS.length ? [] : [ofKind(kinds)];
    // What is dear comes last: a record is read as far as it fits.
    const all = [
      ...owner,
      ...ofKinds,
      ...plainConditions(query),
      ...this.#stateConditions(query, state),
      ...this.#wordConditions(query.words),
    ];
    return this.docs.find(all, { kinds, before, limit, isLate });
  }

  /** A NUL is in no record, and would end the text that is looked for. */
  #wordConditions(words: readonly string[]): Condition[] {
    if (words.some((word) => word.includes('\0'))) return [NOTHING];
    return words.map((word) =>
      wordOrOwner(word.toLowerCase().normalize('NFC'), accountsNamed(this.#parts.database, word)),
    );
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

/** The ids of what has a trait in the database now: each is read once in a search. */
class StateIds {
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
