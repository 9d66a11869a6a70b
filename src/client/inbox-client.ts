import type { InboxMessage } from './client-records.ts';
import type { ControlCalls } from './control-surface.ts';

/** A built-in receiver: give its `url` to a webhook endpoint, and read what came. */
export class InboxClient {
  readonly name: string;
  /** Where deliveries are to go. */
  readonly url: string;
  readonly #calls: ControlCalls;

  constructor(calls: ControlCalls, emulatorUrl: string, name: string) {
    this.#calls = calls;
    this.name = name;
    this.url = `${emulatorUrl}/_emulator/inbox/${encodeURIComponent(name)}`;
  }

  /** What came, oldest first. */
  async messages(): Promise<InboxMessage[]> {
    return (await this.#calls.listMessages({ name: this.name })).reverse();
  }

  clear(): Promise<void> {
    return this.#calls.deleteMessages({ name: this.name });
  }
}
