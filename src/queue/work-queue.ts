import { EventEmitter, once } from 'node:events';
import { type Clock, pause } from '../clock/clock.ts';
import { type Piece, Task } from './task.ts';

export interface QueueParts<Item extends Piece> {
  /** Who has anything in the queue, as a stop or a crash left it. */
  owners(): readonly string[];
  /** The oldest piece of an owner in a line, but for those that are worked on; read from the database. */
  next(owner: string, except: readonly string[], line: number): Item | undefined;
  /** What it rejects with is told to `onError`, and the same piece worked on again: what a full disk refuses now it may take later. */
  work(task: Task<Item>): Promise<void>;
  onError?(error: unknown): void;
  clock: Clock;
  limits: QueueLimits;
  /** How many lines there are: whatever stands in the first goes before all that stands in the next. */
  lines?: number;
}

/** How many pieces are worked on at once. */
export interface QueueLimits {
  all: number;
  /** Of one owner. */
  ofOwner?: number;
  /** Of those that work rather than rest, when another one is taken up. */
  working?: number;
}

/** After how long work that failed is tried again, in milliseconds of real time. */
const RETRY_AFTER = 1000;

/**
 * Works off what is queued in the database: of each owner the oldest first, the owners in turn. Here is only known who
 * may have something, and what is under way; so a crash loses nothing, and `open` takes up what is left.
 */
export class WorkQueue<Item extends Piece> {
  readonly #parts: Required<QueueParts<Item>>;
  readonly #limits: Required<QueueLimits>;
  readonly #lines: readonly Set<string>[];
  readonly #tasks = new Map<string, Task<Item>>();
  readonly #changed = new EventEmitter().setMaxListeners(0);
  readonly #ended = new EventEmitter().setMaxListeners(0);
  #isOpen = false;
  #isFilling = false;

  constructor(parts: QueueParts<Item>) {
    const { all } = parts.limits;
    this.#parts = { lines: 1, onError: () => {}, ...parts };
    this.#limits = { ofOwner: all, working: all, ...parts.limits };
    this.#lines = Array.from({ length: this.#parts.lines }, () => new Set<string>());
  }

  /** Takes up what the last run of the emulator left. */
  open(): void {
    this.#isOpen = true;
    for (const owner of this.#parts.owners()) this.wake(owner);
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Says that an owner may have something; cheap when it has not. */
  wake(owner: string): void {
    if (!this.#isOpen) return;
    for (const line of this.#lines) line.add(owner);
    this.#look();
  }

  /**
   * Takes a piece up, where there is room, while it is still being committed: whatever becomes of that, the work finds
   * out. For an owner of whom none is worked on there is room where others have taken all of it.
   */
  take(item: Item): void {
    const isNew = this.#of(item.owner).length === 0;
    if (this.#isOpen && this.#tasks.size < this.#limits.all * (isNew ? 2 : 1)) this.#begin(item);
  }

  isUnderWay(id: string): boolean {
    return this.#tasks.has(id);
  }

  /** Resolves once the work on a piece is over, or put off until the queue is opened again. */
  async ended(id: string, signal?: AbortSignal): Promise<void> {
    await once(this.#ended, id, { signal });
  }

  /** Cuts short what is under way; with `which`, that. */
  cut(reason: Error, which: (item: Item) => boolean = () => true): void {
    for (const task of this.#tasks.values()) if (which(task.item)) task.cut(reason);
  }

  /** Cuts short what only waits, be it to be tried again. */
  cutResting(reason: Error): void {
    for (const task of this.#tasks.values()) if (task.isResting) task.cut(reason);
  }

  /** What is under way, but for what `which` leaves out. */
  tasks(which: (item: Item) => boolean = () => true): Task<Item>[] {
    return [...this.#tasks.values()].filter(({ item }) => which(item));
  }

  /** Resolves when all that is under way rests, and nothing is about to be taken up. */
  async settled(which?: (item: Item) => boolean): Promise<void> {
    while (this.#isFilling || this.tasks(which).some(({ isResting }) => !isResting))
      await once(this.#changed, 'change');
  }

  /** Begins nothing any more, and resolves when nothing is under way. */
  async close(): Promise<void> {
    this.#isOpen = false;
    for (const line of this.#lines) line.clear();
    while (this.#isFilling || this.#tasks.size > 0) await once(this.#changed, 'change');
    // Whoever waits by `once` listens for errors too: there is none to be told.
    const awaited = this.#ended.eventNames().filter((name) => name !== 'error');
    for (const id of awaited) this.#ended.emit(id);
  }

  /** There may be room for another one. */
  #look(): void {
    if (this.#isFilling || !this.#isOpen || this.#lines.every(({ size }) => size === 0)) return;
    this.#isFilling = true;
    setImmediate(() => {
      this.#isFilling = false;
      for (const [at, line] of this.#lines.entries()) this.#fill(line, at);
      this.#changed.emit('change');
    });
  }

  #fill(line: Set<string>, at: number): void {
    for (let took = true; took && this.#isOpen; ) {
      took = false;
      for (const owner of [...line]) {
        if (!this.#hasRoom()) return;
        took = this.#takeNext(owner, line, at) || took;
      }
    }
  }

  #hasRoom(): boolean {
    const { all, working } = this.#limits;
    if (this.#tasks.size >= all) return false;
    return working >= all || this.tasks().filter(({ isResting }) => !isResting).length < working;
  }

  /** Takes up the oldest piece of an owner; answers whether there was one, and room for it. */
  #takeNext(owner: string, line: Set<string>, at: number): boolean {
    const own = this.#of(owner);
    if (own.length >= this.#limits.ofOwner) return false;
    const except = own.map(({ item }) => item.id);
    const next = this.#nextOf(owner, except, at);
    line.delete(owner);
    if (!next) return false;
    // Whoever was served stands last.
    line.add(owner);
    this.#begin(next);
    return true;
  }

  /** What the database cannot tell now it may tell when the owner is woken again. */
  #nextOf(owner: string, except: readonly string[], at: number): Item | undefined {
    try {
      return this.#parts.next(owner, except, at);
    } catch (error) {
      this.#parts.onError(error);
      return undefined;
    }
  }

  #begin(item: Item): void {
    const task = new Task(item, () => {
      this.#look();
      this.#changed.emit('change');
    });
    this.#tasks.set(item.id, task);
    void this.#carry(task);
  }

  async #carry(task: Task<Item>): Promise<void> {
    const { id, owner } = task.item;
    while (!(await this.#isDone(task))) {
      const { clock } = this.#parts;
      await task.resting(() => pause(clock, RETRY_AFTER, task.signal)).catch(() => undefined);
    }
    this.#tasks.delete(id);
    this.#ended.emit(id);
    this.wake(owner);
    this.#changed.emit('change');
  }

  /** Whether the work is over, or was cut short. */
  async #isDone(task: Task<Item>): Promise<boolean> {
    if (task.signal.aborted) return true;
    try {
      await this.#parts.work(task);
      return true;
    } catch (error) {
      if (!task.signal.aborted) this.#parts.onError(error);
      return task.signal.aborted;
    }
  }

  #of(owner: string): Task<Item>[] {
    return this.tasks((item) => item.owner === owner);
  }
}
