import { later } from './browser-time.ts';
import { callControl, withParams } from './call-api.ts';
import type { OrderLine } from './order-views.ts';
import { PageStore } from './page-store.ts';
import { recordSource } from './record-source.ts';
import type { LiveBatch } from './records.ts';

/** How many orders are remembered, and how many are asked for at once. */
const MOST = 2000;
const AT_ONCE = 60;
/** How long it gathers what to ask for, and how often what is in sight is asked for anew, in milliseconds. */
const GATHER = 30;
const AGAIN = 250;

/** By these an order may have become another one. */
const TOLD = new Set<string>(['job', 'event', 'delivery', 'run']);

/** What came of the orders that are in sight: asked for when they come into it, and when something happened. */
class OrderStore extends PageStore<ReadonlyMap<string, OrderLine>> {
  #shown: readonly string[] = [];
  #wanted = new Set<string>();
  #isPlanned = false;

  /** These are in sight now. */
  show(ids: readonly string[]): void {
    this.#shown = ids;
    this.#want(
      ids.filter((id) => !this.value.has(id)),
      GATHER,
    );
  }

  /** Something happened. */
  hear({ notices }: LiveBatch): void {
    if (notices.some(({ kind, id }) => TOLD.has(kind) || (kind === 'control' && id !== 'requests'))) this.refresh();
  }

  refresh(): void {
    this.#want(this.#shown, AGAIN);
  }

  /** Takes what is in sight from a record at its moment, at once. */
  takeShown(): void {
    const lines = this.#shown.flatMap((id) => recordSource.value?.line(id) ?? []);
    this.set(new Map(lines.map((line) => [line.id, line])));
  }

  /** The whole state is another one. */
  forget(): void {
    this.set(new Map());
    this.refresh();
  }

  #want(ids: readonly string[], wait: number): void {
    for (const id of ids) this.#wanted.add(id);
    if (this.#wanted.size === 0 || this.#isPlanned) return;
    this.#isPlanned = true;
    later(wait, () => void this.#ask());
  }

  async #ask(): Promise<void> {
    const ids = [...this.#wanted].slice(0, AT_ONCE);
    this.#wanted.clear();
    try {
      const path = withParams('/orders', { ids: ids.join(',') });
      this.#keep((await callControl<{ data: OrderLine[] }>('GET', path)).data);
    } catch {
      // Without an answer the rows stay as they are; the page says what is wrong.
    }
    this.#isPlanned = false;
    this.#want([], AGAIN);
  }

  #keep(lines: readonly OrderLine[]): void {
    if (lines.length === 0) return;
    const known = new Map(this.value);
    for (const line of lines) {
      known.delete(line.id);
      known.set(line.id, line);
    }
    for (const id of known.keys()) {
      if (known.size <= MOST) break;
      known.delete(id);
    }
    this.set(known);
  }
}

export const orderStore = new OrderStore(new Map());
