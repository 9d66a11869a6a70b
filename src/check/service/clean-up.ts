import { NotMeasured } from './http-exchange.ts';
import { isId, Sender, type Target } from './send-request.ts';
import type { ReceivedAnswer } from './shape-of.ts';

type Kind = 'webhook' | 'object';

const LISTS = {
  webhook: { path: '/v1/webhooks', field: 'webhooks', words: 'endpoint' },
  object: { path: '/v1/storage/objects', field: 'data', words: 'stored object' },
} as const;

/** How long it may take, in milliseconds. */
const LONGEST = 60_000;

/** Deletes what a measurement has made, also what it never heard of, and looks whether it is gone. */
export class CleanUp {
  readonly #sender: Sender;
  readonly #clock: Target['clock'];
  readonly #name: string;
  readonly #limit = new AbortController();
  readonly #made = new Map<Kind, Set<string>>();

  /** `name`: what the names of all that was made begin with. */
  constructor(target: Target, name: string) {
    // It goes on where the measurement was ended.
    this.#sender = new Sender({ ...target, signal: this.#limit.signal });
    this.#clock = target.clock;
    this.#name = name;
  }

  get sent(): number {
    return this.#sender.sent;
  }

  /** One is about to be made: its answer may be lost. */
  expect(kind: Kind): void {
    if (!this.#made.has(kind)) this.#made.set(kind, new Set());
  }

  made(kind: Kind, id: string): void {
    this.expect(kind);
    this.#made.get(kind)?.add(id);
  }

  /** A sentence for each kind of which something is left, or may be. */
  async run(): Promise<string[]> {
    const notes: string[] = [];
    // From here on: a measurement may itself have taken longer.
    const inTime = this.#clock.after(LONGEST, () => this.#limit.abort());
    for (const [kind, ids] of this.#made) {
      const note = await this.#remove(kind, ids);
      if (note !== undefined) notes.push(note);
    }
    inTime();
    return notes;
  }

  async #remove(kind: Kind, ids: ReadonlySet<string>): Promise<string | undefined> {
    const { words } = LISTS[kind];
    const listed = await this.#listed(kind, ids);
    for (const id of [...(listed ?? ids)].filter(isId)) await this.#ask('DELETE', `${LISTS[kind].path}/${id}`);
    const left = listed?.length === 0 ? [] : await this.#listed(kind, ids);
    if (left === undefined)
      return `Whether each ${words} named ${this.#name} is deleted could not be read: look there.`;
    return left.length === 0
      ? undefined
      : `${left.length} of its own are left: delete each ${words} named ${this.#name}.`;
  }

  /** Ids of what is there of its own; undefined where the list cannot be read. */
  async #listed(kind: Kind, ids: ReadonlySet<string>): Promise<string[] | undefined> {
    const { path, field } = LISTS[kind];
    const answer = await this.#ask('GET', path);
    const list: unknown = Object(answer?.json)[field];
    if (answer?.status !== 200 || !Array.isArray(list)) return undefined;
    return list.flatMap((each) => {
      const { id, url } = Object(each);
      if (typeof id !== 'string') return [];
      return ids.has(id) || (typeof url === 'string' && url.includes(this.#name)) ? [id] : [];
    });
  }

  async #ask(method: string, path: string): Promise<ReceivedAnswer | undefined> {
    try {
      return await this.#sender.send({ method, path }, {});
    } catch (error) {
      if (error instanceof NotMeasured || this.#limit.signal.aborted) return undefined;
      throw error;
    }
  }
}
