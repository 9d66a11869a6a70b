import type { Cancel } from '../clock/clock.ts';
import type { VirtualClock } from '../clock/virtual-clock.ts';
import type { Database } from '../database/database.ts';
import type { Journal } from '../journal/journal.ts';
import type { DiskReserve } from '../storage/disk-reserve.ts';
import { rowsAfter, STATE_KINDS } from './indexed-store.ts';
import { requestDoc } from './indexed-text.ts';
import { SearchDocs, type SearchFolders } from './search-docs.ts';
import type { Doc } from './search-docs-store.ts';

/** How many records of a kind are indexed at once, so that nobody waits for it long. */
const STRIDE = 32;
/**
 * How long after a request it looks for what there is to index, in milliseconds of real time; and, while there is more,
 * between two looks. While requests keep coming it waits: a record takes as long as several requests.
 */
const REST = 400;
const BREATH = 2;
/** The same after a start or another state: many an emulator lives for one test, and nobody searches it. */
const FIRST = 3000;

export interface SearchParts {
  clock: VirtualClock;
  journal: Journal;
  database: Database;
  folders: SearchFolders;
  reserve: DiskReserve;
  onError: (error: unknown) => void;
}

/** Keeps the index of all that is on record: behind the answers, in small bites, at once for whoever searches. */
export class SearchIndex {
  readonly docs: SearchDocs;
  readonly #parts: SearchParts;
  readonly #deaf: Cancel;
  #timer: Cancel | undefined;
  #isAwake = false;
  /** Whether the requests that are known have been held against the journal. */
  #isChecked = false;
  #isBusy = false;
  #isClosed = false;

  constructor(parts: SearchParts) {
    this.#parts = parts;
    this.docs = new SearchDocs(parts.folders);
    const { journal } = parts;
    const stopHearing = journal.observe(() => this.#hear());
    const stopForgetting = journal.observeForgetting((accountId) => this.docs.forgetRequests({ accountId }));
    this.#deaf = () => {
      stopHearing();
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
    this.#deaf();
    this.docs.close();
  }

  async #catchUp(): Promise<void> {
    while (!this.#isClosed && this.#takeSome()) await new Promise((resolve) => setImmediate(resolve));
  }

  /** A journal that began anew, or that made room, has other requests than those that are known. Asked once, by whoever needs it first. */
  #checkJournal(): void {
    if (this.#isChecked) return;
    const { journal } = this.#parts;
    const last = this.docs.last('request');
    if (last && journal.find(last.id)?.id !== last.id) this.docs.forgetRequests({});
    this.docs.forgetRequests({ before: journal.firstPosition() });
    this.#isChecked = true;
  }

  #hear(): void {
    this.#isBusy = true;
    if (!this.#timer) this.#plan(REST);
  }

  #plan(wait: number): void {
    this.#timer?.();
    this.#timer = undefined;
    if (this.#isClosed) return;
    const again = () => {
      this.#timer = undefined;
      this.#bite();
    };
    // A reset clears the clock: what is to be indexed is so then as well.
    this.#timer = this.#parts.clock.after(wait, again, () => this.#plan(wait));
  }

  #bite(): void {
    try {
      const isBusy = this.#isBusy;
      this.#isBusy = false;
      // What is left of a full disk is for whoever searches.
      if (isBusy || !this.#parts.reserve.hasRoom()) this.#plan(REST);
      else if (this.#takeSome()) this.#plan(BREATH);
    } catch (error) {
      this.#parts.onError(error);
    }
  }

  /** Indexes a bite of each kind; answers whether there may be more. */
  #takeSome(): boolean {
    const { clock, journal, database } = this.#parts;
    this.#checkJournal();
    const from = (kind: Doc['kind']) => this.docs.last(kind)?.position ?? 0;
    const bites = [
      journal.writtenAfter(from('request'), STRIDE).map(requestDoc),
      ...STATE_KINDS.map((kind) =>
        rowsAfter(database, kind, { position: from(kind), limit: STRIDE, marks: clock.marks }),
      ),
    ];
    const docs = bites.flat();
    if (docs.length === 0) return false;
    this.docs.insertAll(docs);
    const first = journal.firstPosition();
    if (bites[0]?.length === STRIDE) this.docs.forgetRequests({ before: first });
    return bites.some((bite) => bite.length === STRIDE);
  }
}
