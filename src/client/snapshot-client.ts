import type { ControlConnection } from './control-connection.ts';

/** What was saved under a name: the whole state, files and clock included. */
export class SnapshotClient {
  readonly name: string;
  readonly #control: ControlConnection;

  constructor(control: ControlConnection, name: string) {
    this.#control = control;
    this.name = name;
  }

  /** Back to it; may be done any number of times. */
  async restore(): Promise<void> {
    await this.#control.post(`/snapshots/${encodeURIComponent(this.name)}/restore`);
  }

  remove(): Promise<void> {
    return this.#control.delete(`/snapshots/${encodeURIComponent(this.name)}`);
  }
}
