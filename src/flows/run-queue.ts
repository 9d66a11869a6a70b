import type { Reader } from '../database/transaction.ts';
import { nextRunning, runningWorkspaces } from './run-store.ts';

/** How many runs are carried on at once, of all workspaces and of one. */
const MOST = 32;
const MOST_OF_WORKSPACE = 8;
/** How many of them are taken up while they work rather than wait: what they do in one turn holds everybody else. */
const MOST_WORKING = 2;

/** A run that is being carried on. */
export class Drive {
  readonly runId: string;
  readonly workspaceId: string;
  readonly position: number;
  readonly #end = new AbortController();
  readonly #onRest: () => void;
  #isResting = false;
  #turns = 0;

  constructor(place: Pick<Drive, 'runId' | 'workspaceId' | 'position'>, onRest: () => void) {
    this.runId = place.runId;
    this.workspaceId = place.workspaceId;
    this.position = place.position;
    this.#onRest = onRest;
  }

  /** Ends waiting: the run was cancelled, or the emulator stops. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  /** Whether it waits for something that is not due, or that others work on. */
  get isResting(): boolean {
    return this.#isResting;
  }

  /** How often it has gone on after a rest. */
  get turns(): number {
    return this.#turns;
  }

  rest(isResting: boolean): void {
    if (this.#isResting && !isResting) this.#turns += 1;
    this.#isResting = isResting;
    if (isResting) this.#onRest();
  }

  async resting<T>(wait: () => Promise<T>): Promise<T> {
    this.rest(true);
    try {
      return await wait();
    } finally {
      this.rest(false);
    }
  }

  stop(reason: string): void {
    this.#end.abort(new Error(reason));
  }
}

/**
 * Which runs are carried on: a few of each workspace, oldest first, the workspaces in turn. The queue itself stands in
 * the database; here is only known who has something in it.
 */
export class RunQueue {
  readonly #db: Reader;
  readonly #carry: (drive: Drive) => Promise<void>;
  readonly #drives = new Map<string, { drive: Drive; done: Promise<void> }>();
  readonly #workspaces = new Set<string>();
  #watchers: (() => void)[] = [];
  #isOpen = false;
  #isFilling = false;

  constructor(db: Reader, carry: (drive: Drive) => Promise<void>) {
    this.#db = db;
    this.#carry = carry;
  }

  /** Takes up what the last run of the emulator left. */
  open(): void {
    this.#isOpen = true;
    for (const id of runningWorkspaces(this.#db)) this.wake(id);
  }

  /** A workspace has a run that runs. */
  wake(workspaceId: string): void {
    this.#workspaces.add(workspaceId);
    this.#look();
  }

  /** There may be room for another run. */
  #look(): void {
    if (this.#isFilling || !this.#isOpen || this.#workspaces.size === 0) return;
    this.#isFilling = true;
    setImmediate(() => {
      this.#isFilling = false;
      this.#fill();
      this.#tell();
    });
  }

  /** Stops carrying on a run that was ended. */
  drop(runId: string): void {
    this.#drives.get(runId)?.drive.stop('the run was cancelled');
  }

  /** Resolves when every run up to a position is over, or waits for what is not due or is done by others. */
  async settled(newest: number): Promise<void> {
    while (this.#isFilling || this.#upTo(newest).some(({ isResting }) => !isResting)) {
      await new Promise<void>((resolve) => this.#watchers.push(resolve));
    }
  }

  /** A text that differs once any run up to a position has gone on. */
  stand(newest: number): string {
    return this.#upTo(newest)
      .map(({ runId, turns }) => `${runId}:${turns}`)
      .join();
  }

  /** Cuts off what is carried on, and resolves when nothing is; `open` resumes. */
  async close(): Promise<void> {
    this.#isOpen = false;
    this.#workspaces.clear();
    for (const { drive } of this.#drives.values()) drive.stop('the emulator is stopping');
    await Promise.all([...this.#drives.values()].map(({ done }) => done));
  }

  #working(): number {
    return [...this.#drives.values()].filter(({ drive }) => !drive.isResting).length;
  }

  #upTo(newest: number): Drive[] {
    const drives = [...this.#drives.values()].map(({ drive }) => drive);
    return drives.filter(({ position }) => position <= newest);
  }

  #fill(): void {
    for (let took = true; took && this.#isOpen; ) {
      took = false;
      for (const workspaceId of [...this.#workspaces]) {
        if (this.#drives.size >= MOST || this.#working() >= MOST_WORKING) return;
        took = this.#take(workspaceId) || took;
      }
    }
  }

  /** Takes up the oldest run of a workspace that nobody carries on; answers whether there was one, and room for it. */
  #take(workspaceId: string): boolean {
    const own = [...this.#drives.values()].filter(({ drive }) => drive.workspaceId === workspaceId);
    if (own.length >= MOST_OF_WORKSPACE) return false;
    const except = own.map(({ drive }) => drive.runId);
    const next = nextRunning(this.#db, workspaceId, except);
    if (!next) {
      this.#workspaces.delete(workspaceId);
      return false;
    }
    // Whoever was served stands last.
    this.#workspaces.delete(workspaceId);
    this.#workspaces.add(workspaceId);
    const { id: runId, position } = next;
    const drive = new Drive({ runId, workspaceId, position }, () => {
      this.#look();
      this.#tell();
    });
    this.#drives.set(runId, { drive, done: this.#run(drive) });
    return true;
  }

  async #run(drive: Drive): Promise<void> {
    await this.#carry(drive);
    this.#drives.delete(drive.runId);
    this.wake(drive.workspaceId);
    this.#tell();
  }

  #tell(): void {
    const watchers = this.#watchers;
    this.#watchers = [];
    for (const watcher of watchers) watcher();
  }
}
