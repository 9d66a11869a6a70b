/** A request that is not answered yet; `began` is the machine's time in milliseconds. */
export interface OpenRequest {
  id: string;
  account_id: string | null;
  method: string;
  path: string;
  began: number;
}

/** Younger ones are not told: most are answered by then. In milliseconds. */
const YOUNG = 50;
const MOST_TOLD = 200;

/** What is under way, for those who listen. */
export class OpenRequests {
  readonly #open = new Map<string, () => OpenRequest>();
  #told = '';

  /** `look` is asked when it is told: whose request it is shows only on its way. */
  started(id: string, look: () => OpenRequest): void {
    this.#open.set(id, look);
  }

  ended(id: string): void {
    this.#open.delete(id);
  }

  forget(): void {
    this.#open.clear();
    this.#told = '';
  }

  /** Those that are open for a while, newest first; and whether others will be soon. */
  look(now: number): { list: OpenRequest[]; hasYoung: boolean } {
    const all = [...this.#open.values()].map((look) => look());
    const list = all.filter(({ began }) => now - began >= YOUNG);
    return { list: list.reverse().slice(0, MOST_TOLD), hasYoung: list.length < all.length };
  }

  /** The same where it is another list than was told before, else undefined. */
  changed(list: OpenRequest[]): OpenRequest[] | undefined {
    const told = list.map(({ id, account_id }) => `${id} ${account_id}`).join();
    if (told === this.#told) return undefined;
    this.#told = told;
    return list;
  }
}
