import type { Cancel, VirtualClock } from '../../base/clock/clock.ts';
import type { Database } from '../../base/database/database.ts';
import type { Journal } from '../../engine/journal/journal.ts';
import type { DiskReserve } from '../../engine/storage/disk-room.ts';
import { rowsAfter, STATE_KINDS } from './indexed-store.ts';
import { type Doc, requestDoc } from './indexed-text.ts';
import { SearchDocs } from './search-docs-store.ts';

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

export interface SearchParts {
  clock: VirtualClock;
  journal: Journal;
  database: Database;
  file: string;
  reserve: DiskReserve;
  onError: (error: unknown) => void;
}

/** Keeps the index of all records up to date: after the answers in small portions, and at once for a search. */
export class SearchIndex {
  readonly docs: SearchDocs;
  readonly #parts: SearchParts;
  readonly #stopObserving: Cancel;
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
    const stopRequests = journal.observe(() => this.#requestRecorded());
    const stopForgetting = journal.observeForgetting((accountId) => this.docs.forgetRequests({ accountId }));
    this.#stopObserving = () => {
      stopRequests();
      stopForgetting();
    };
  }

  /** At a start the index is of the state that there is; whenever it is called again, the state is another one. */
  wake(): void {
    if (this.#isAwake) this.docs.forgetState();
    this.#isAwake = true;
    this.#plan(FIRST);
  }

  /** Until all that was on record when it was asked for is found; others go on meanwhile. Throws `storage_full`. */
  caughtUp(): Promise<void> {
    return this.#parts.reserve.granted(() => this.#catchUp());
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.();
    this.#stopObserving();
    this.docs.close();
  }

  async #catchUp(): Promise<void> {
    while (!this.#isClosed && this.#indexPortion()) await new Promise((resolve) => setImmediate(resolve));
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
      // What is left of a full disk is for a search.
      if (isBusy || !this.#parts.reserve.hasRoom()) this.#plan(QUIET);
      else if (this.#indexPortion()) this.#plan(PAUSE);
    } catch (error) {
      this.#parts.onError(error);
    }
  }

  /** Indexes a portion of each kind; returns whether there may be more. */
  #indexPortion(): boolean {
    const { clock, journal, database } = this.#parts;
    this.#checkJournal();
    const from = (kind: Doc['kind']) => this.docs.last(kind)?.position ?? 0;
    const portions = [
      journal.writtenAfter(from('request'), STRIDE).map(requestDoc),
      ...STATE_KINDS.map((kind) =>
        rowsAfter(database, kind, { position: from(kind), limit: STRIDE, marks: clock.marks }),
      ),
    ];
    const docs = portions.flat();
    if (docs.length === 0) return false;
    this.docs.insertAll(docs);
    const first = journal.firstPosition();
    if (portions[0]?.length === STRIDE) this.docs.forgetRequests({ before: first });
    return portions.some((portion) => portion.length === STRIDE);
  }
}
