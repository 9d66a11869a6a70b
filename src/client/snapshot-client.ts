import type { ControlCalls } from './control-surface.ts';

/** What was saved under a name: the whole state, files and clock included. */
export class SnapshotClient {
  readonly name: string;
  readonly #calls: ControlCalls;

  constructor(calls: ControlCalls, name: string) {
    this.#calls = calls;
    this.name = name;
  }

  /** Back to it; may be done any number of times. */
  async restore(): Promise<void> {
    await this.#calls.restoreSnapshot({ name: this.name });
  }

  remove(): Promise<void> {
    return this.#calls.removeSnapshot({ name: this.name });
  }
}
