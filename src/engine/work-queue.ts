import { EventEmitter, once } from 'node:events';
import { type Clock, waitRealTime } from '../base/clock/clock.ts';

export interface QueueItem {
  id: string;
  owner: string;
}

export class QueueTask<Item extends QueueItem> {
  readonly item: Item;
  readonly #end = new AbortController();
  readonly #onWait: () => void;
  isWaiting = false;
  resumed = 0;

  constructor(item: Item, onWait: () => void) {
    this.item = item;
    this.#onWait = onWait;
  }

  get signal(): AbortSignal {
    return this.#end.signal;
  }

  async whileWaiting<T>(wait: () => Promise<T>): Promise<T> {
    this.isWaiting = true;
    this.#onWait();
    try {
      return await wait();
    } finally {
      this.isWaiting = false;
      this.resumed += 1;
    }
  }

  cut(reason: unknown): void {
    this.#end.abort(reason);
  }
}

export interface QueueParts<Item extends QueueItem> {
  /** The owners that have items in the database. Called when the queue opens. */
  owners(): readonly string[];
  /** The oldest item to start at this priority, without those in `except`. Reads the database. */
  next(owner: string, except: readonly string[], priority: number): Item | undefined;
  /**
   * Works on an item. If it rejects, `onError` gets the reason, and the item is tried again: the disk may have been full.
   */
  work(task: QueueTask<Item>): Promise<void>;
  onError?(error: unknown): void;
  clock: Clock;
  limits: QueueLimits;
  /** The number of priorities. Items of priority 0 come first. */
  priorities?: number;
}

export interface QueueLimits {
  all: number;
  ofOwner?: number;
  /** The most items that work, without those that wait. */
  working?: number;
}

/** Milliseconds of real time until failed work, such as a write to a full disk, is tried again. */
export const RETRY_AFTER_MS = 1000;

/**
 * Processes a queue in the database: the oldest item of each owner, and the owners in turn. Only owners and running items
 * are in memory, so a crash loses nothing: `open` resumes the rest.
 */
export class WorkQueue<Item extends QueueItem> {
  readonly #parts: Required<QueueParts<Item>>;
  readonly #limits: Required<QueueLimits>;
  readonly #priorities: readonly Set<string>[];
  readonly #tasks = new Map<string, QueueTask<Item>>();
  readonly #changed = new EventEmitter().setMaxListeners(0);
  readonly #ended = new EventEmitter().setMaxListeners(0);
  #isOpen = false;
  #isFilling = false;

  constructor(parts: QueueParts<Item>) {
    const { all } = parts.limits;
    this.#parts = { priorities: 1, onError: () => {}, ...parts };
    this.#limits = { ofOwner: all, working: all, ...parts.limits };
    this.#priorities = Array.from({ length: this.#parts.priorities }, () => new Set<string>());
  }

  open(): void {
    this.#isOpen = true;
    for (const owner of this.#parts.owners()) this.wake(owner);
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  wake(owner: string): void {
    if (!this.#isOpen) return;
    for (const owners of this.#priorities) owners.add(owner);
    this.#scheduleFill();
  }

  /**
   * Starts an item now if there is room. For an owner without a running item, the limit is twice as high, so that a
   * busy owner cannot block it.
   */
  start(item: Item): void {
    if (this.isUnderWay(item.id)) return;
    const isNew = this.#of(item.owner).length === 0;
    if (this.#isOpen && this.#tasks.size < this.#limits.all * (isNew ? 2 : 1)) this.#start(item);
  }

  isUnderWay(id: string): boolean {
    return this.#tasks.has(id);
  }

  /** Resolves once the work on an item has ended, or is postponed because the queue was closed. */
  async ended(id: string, signal?: AbortSignal): Promise<void> {
    await once(this.#ended, id, { signal });
  }

  cut(reason: Error, which: (item: Item) => boolean = () => true): void {
    for (const task of this.#tasks.values()) if (which(task.item)) task.cut(reason);
  }

  cutWaiting(reason: Error): void {
    for (const task of this.#tasks.values()) if (task.isWaiting) task.cut(reason);
  }

  tasks(which: (item: Item) => boolean = () => true): QueueTask<Item>[] {
    return [...this.#tasks.values()].filter(({ item }) => which(item));
  }

  /** Resolves when no task works: each has ended or is inside `whileWaiting`, and nothing is about to start. */
  async settled(which?: (item: Item) => boolean): Promise<void> {
    while (this.#isFilling || this.tasks(which).some(({ isWaiting }) => !isWaiting))
      await once(this.#changed, 'change');
  }

  async untilRetry(task: QueueTask<Item>): Promise<void> {
    await task.whileWaiting(() => waitRealTime(this.#parts.clock, RETRY_AFTER_MS, task.signal)).catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    for (const owners of this.#priorities) owners.clear();
    while (this.#isFilling || this.#tasks.size > 0) await once(this.#changed, 'change');
    // Leaves out `error`, for which `once` also adds a listener.
    const awaited = this.#ended.eventNames().filter((name) => name !== 'error');
    for (const id of awaited) this.#ended.emit(id);
  }

  #scheduleFill(): void {
    if (this.#isFilling || !this.#isOpen || this.#priorities.every(({ size }) => size === 0)) return;
    this.#isFilling = true;
    setImmediate(() => {
      this.#isFilling = false;
      for (const [priority, owners] of this.#priorities.entries()) this.#fill(owners, priority);
      this.#changed.emit('change');
    });
  }

  #fill(owners: Set<string>, priority: number): void {
    for (let took = true; took && this.#isOpen; ) {
      took = false;
      for (const owner of [...owners]) {
        if (!this.#hasRoom()) return;
        took = this.#takeNext(owner, owners, priority) || took;
      }
    }
  }

  #hasRoom(): boolean {
    const { all, working } = this.#limits;
    if (this.#tasks.size >= all) return false;
    return working >= all || this.tasks().filter(({ isWaiting }) => !isWaiting).length < working;
  }

  #takeNext(owner: string, owners: Set<string>, priority: number): boolean {
    const own = this.#of(owner);
    if (own.length >= this.#limits.ofOwner) return false;
    const except = own.map(({ item }) => item.id);
    const next = this.#nextOf(owner, except, priority);
    // Moves the owner to the end of the turn order. Without an item it is removed until `wake` adds it.
    owners.delete(owner);
    if (!next) return false;
    owners.add(owner);
    this.#start(next);
    return true;
  }

  #nextOf(owner: string, except: readonly string[], priority: number): Item | undefined {
    try {
      return this.#parts.next(owner, except, priority);
    } catch (error) {
      this.#parts.onError(error);
      return undefined;
    }
  }

  #start(item: Item): void {
    const task = new QueueTask(item, () => {
      this.#scheduleFill();
      this.#changed.emit('change');
    });
    this.#tasks.set(item.id, task);
    void this.#process(task);
  }

  async #process(task: QueueTask<Item>): Promise<void> {
    const { id, owner } = task.item;
    while (!(await this.#tryWork(task))) await this.untilRetry(task);
    this.#tasks.delete(id);
    this.#ended.emit(id);
    this.wake(owner);
    this.#changed.emit('change');
  }

  /** True if no further try follows. */
  async #tryWork(task: QueueTask<Item>): Promise<boolean> {
    if (task.signal.aborted) return true;
    try {
      await this.#parts.work(task);
      return true;
    } catch (error) {
      if (!task.signal.aborted) this.#parts.onError(error);
      return task.signal.aborted;
    }
  }

  #of(owner: string): QueueTask<Item>[] {
    return this.tasks((item) => item.owner === owner);
  }
}
