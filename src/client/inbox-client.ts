import type { InboxMessage } from './client-records.ts';
import type { ControlCalls } from './control-surface.ts';
import type { MessageWaitOptions, WaitClient } from './wait-client.ts';

interface InboxParts {
  control: ControlCalls;
  waitFor: WaitClient;
  /** The emulator's. */
  url: string;
}

/** A built-in receiver: give its `url` to a webhook endpoint, and read what came. */
export class InboxClient {
  readonly name: string;
  /** Where deliveries are to go. */
  readonly url: string;
  readonly #calls: ControlCalls;
  readonly #waits: WaitClient;

  constructor({ control, waitFor, url }: InboxParts, name: string) {
    this.#calls = control;
    this.#waits = waitFor;
    this.name = name;
    this.url = `${url}/_emulator/inbox/${encodeURIComponent(name)}`;
  }

  /** What came, oldest first. */
  async messages(): Promise<InboxMessage[]> {
    return (await this.#calls.listMessages({ name: this.name })).reverse();
  }

  /** The next genuine message, at once when there is one already. */
  wait(options?: MessageWaitOptions): Promise<InboxMessage> {
    return this.#waits.message(this.name, options);
  }

  clear(): Promise<void> {
    return this.#calls.deleteMessages({ name: this.name });
  }
}
