import type { Cancel } from '../../base/clock/clock.ts';
import type { VirtualClock } from '../../base/clock/virtual-clock.ts';
import type { Database } from '../../base/database/database.ts';
import type { Random } from '../../base/random.ts';
import { nearestName } from '../../base/text.ts';
import type { Journal } from '../../engine/journal/journal.ts';
import { type Condition, type FoundDoc, KINDS, type Kind, requestDoc } from './indexed-text.ts';
import {
  accountNames,
  accountsNamed,
  matchOf,
  ofKind,
  ownedBy,
  plainConditions,
  searchedWords,
  traitConditions,
  wordOrOwner,
} from './search-conditions-store.ts';
import { rowsAfter, SearchDocs, STATE_KINDS } from './search-docs-store.ts';
import { parseSearch, type SearchQuery, type Trait, termsOf } from './search-query.ts';

/** How many records of a kind are indexed between two turns of the event loop. */
const STRIDE = 16;
/**
 * How long after a request it looks for what there is to index, in milliseconds of real time; and, while there is more,
 * between two looks. While requests keep coming it waits: a record takes as long as several requests.
 */
const QUIET = 400;
const PAUSE = 2;
/** The same after a start or a change of the state: most emulators run for one test, and are never searched. */
const FIRST = 3000;

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

export interface SearchParts {
  clock: VirtualClock;
  journal: Journal;
  database: Database;
  random: Random;
  file: string;
  onError: (error: unknown) => void;
}

/** Which of what fits: of some kinds, of one account or of all, after the id of the last one seen. */
interface SearchPage {
  kinds?: readonly Kind[];
  accountId?: string | undefined;
  after?: string | undefined;
  limit: number;
}

/** What was found, newest first; and, of nothing, what was searched and what would be found instead. */
interface SearchResult {
  found: FoundDoc[];
  searched: Record<Kind, number>;
  nearest: { q: string; found: number }[];
}

/** From where it is searched, and until when. */
interface Effort {
  before?: number | undefined;
  ofTrait: (trait: Trait) => Condition;
  isLate?: () => boolean;
}

/**
 * Finds by words and tokens in all that is on record. Its index is kept up to date after the answers in small portions, and
 * at once for a search.
 */
export class Search {
  readonly docs: SearchDocs;
  readonly #parts: SearchParts;
  readonly #stopObserving: readonly Cancel[];
  #timer: Cancel | undefined;
  #isAwake = false;
  /** Whether the requests that are known have been held against the journal. */
  #isChecked = false;
  #isBusy = false;
  #isClosed = false;

  constructor(parts: SearchParts) {
    this.#parts = parts;
    this.docs = new SearchDocs(parts.file);
    const { journal } = parts;
    this.#stopObserving = [
      journal.observe(() => this.#requestRecorded()),
      journal.observeForgetting((accountId) => this.docs.forgetRequests({ accountId })),
    ];
  }

  /** At a start the index is of the state that there is; whenever it is called again, the state is another one. */
  wake(): void {
    if (this.#isAwake) this.docs.forgetState();
    this.#isAwake = true;
    this.#plan(FIRST);
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.();
    for (const stop of this.#stopObserving) stop();
    this.docs.close();
  }

  /** Until all that is on record now is indexed; others go on meanwhile. Throws `storage_full`. */
  async ready(): Promise<void> {
    while (!this.#isClosed && this.#indexPortion()) await new Promise((resolve) => setImmediate(resolve));
  }

  /** Throws `invalid_request` for a token whose value it cannot read. */
  async find(q: string, page: SearchPage): Promise<SearchResult> {
    const { clock, database, random } = this.#parts;
    const query = parseSearch(q, clock.real());
    await this.ready();
    const before = page.after === undefined ? undefined : this.docs.placeOf(page.after);
    const ofTrait = traitConditions(database, random);
    const found = await this.#found(query, page, { before, ofTrait });
    const isNone = found.length === 0 && page.after === undefined;
    return { found, searched: this.docs.counts(), nearest: isNone ? await this.#nearest(q, page, ofTrait) : [] };
  }

  /** Ids of one kind that fit, newest first. Throws as `find`. */
  async idsOf(kind: Kind, q: string, page: Omit<SearchPage, 'kinds'>): Promise<string[]> {
    return (await this.find(q, { ...page, kinds: [kind] })).found.map(({ id }) => id);
  }

  async #found(
    { words, traits, account, ...plain }: SearchQuery,
    { kinds = KINDS, accountId, limit }: SearchPage,
    { before = Number.MAX_SAFE_INTEGER, ofTrait, isLate }: Effort,
  ): Promise<FoundDoc[]> {
    // A NUL is in no record, and would end the text that is looked for.
    if (words.some((word) => word.includes('\0'))) return [];
    const { database } = this.#parts;
    const searched = searchedWords(database, words);
    // What is dear comes last: a record is read as far as it fits.
    const all = [
      ...(accountId === undefined ? [] : [ownedBy([accountId])]),
      ...(kinds.length === KINDS.length ? [] : [ofKind(kinds)]),
      ...plainConditions(plain),
      ...(account === undefined ? [] : [ownedBy(accountsNamed(database, account))]),
      ...[...new Set(traits)].map(ofTrait),
      ...searched.map(wordOrOwner),
    ];
    return this.docs.find(all, { match: matchOf(searched), before, limit, isLate });
  }

  /**
   * The same search with one of its terms left out, or spelled as something that there is. What is not counted within
   * half a second is not offered.
   */
  async #nearest(q: string, page: SearchPage, ofTrait: Effort['ofTrait']): Promise<SearchResult['nearest']> {
    const { clock } = this.#parts;
    const end = clock.real() + NEAREST_WITHIN;
    const isLate = () => clock.real() > end;
    const nearest: SearchResult['nearest'] = [];
    for (const offer of new Set(this.#offers(q))) {
      const query = parseSearch(offer, clock.real());
      const found = await this.#found(query, { ...page, limit: MOST_COUNTED }, { ofTrait, isLate });
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
    if (name === 'account') return nearestName(value, accountNames(this.#parts.database));
    if (name !== 'model' && name !== 'path') return undefined;
    return nearestName(value, this.docs.values(name, 200));
  }

  #requestRecorded(): void {
    this.#isBusy = true;
    if (!this.#timer) this.#plan(QUIET);
  }

  #plan(wait: number): void {
    this.#timer?.();
    this.#timer = undefined;
    if (this.#isClosed) return;
    const again = () => {
      this.#timer = undefined;
      this.#work();
    };
    // A reset clears the clock: what is to be indexed is so then as well.
    this.#timer = this.#parts.clock.after(wait, again, () => this.#plan(wait));
  }

  #work(): void {
    try {
      const isBusy = this.#isBusy;
      this.#isBusy = false;
      if (isBusy) this.#plan(QUIET);
      else if (this.#indexPortion()) this.#plan(PAUSE);
    } catch (error) {
      this.#parts.onError(error);
    }
  }

  /** Forgets requests that the journal has no more. Done once, when the index is first used. */
  #checkJournal(): void {
    if (this.#isChecked) return;
    const { journal } = this.#parts;
    const last = this.docs.last('request');
    if (last && journal.find(last.id)?.id !== last.id) this.docs.forgetRequests({});
    this.docs.forgetRequests({ before: journal.firstPosition() });
    this.#isChecked = true;
  }

  /** Indexes a portion of each kind; returns whether there may be more. */
  #indexPortion(): boolean {
    const { clock, journal, database } = this.#parts;
    this.#checkJournal();
    const after = (kind: Kind) => this.docs.last(kind)?.position ?? 0;
    const { marks } = clock;
    const requests = journal.writtenAfter(after('request'), STRIDE).map(requestDoc);
    const state = STATE_KINDS.map((kind) => rowsAfter(database, kind, { position: after(kind), limit: STRIDE, marks }));
    const portions = [requests, ...state];
    if (portions.every(({ length }) => length === 0)) return false;
    this.docs.insertAll(portions.flat());
    if (requests.length === STRIDE) this.docs.forgetRequests({ before: journal.firstPosition() });
    return portions.some(({ length }) => length === STRIDE);
  }
}

function quoted(value: string): string {
  return value.includes(' ') ? `"${value}"` : value;
}
