import type { ControlConnection } from './control-connection.ts';

/** A built-in receiver: give its `url` to a webhook endpoint, and read what came. */
export class InboxClient {
  readonly name: string;
  readonly #control: ControlConnection;

  constructor(control: ControlConnection, name: string) {
    this.#control = control;
    this.name = name;
  }

  /** Where deliveries are to go. */
  get url(): string {
    return `${this.#control.url}/_emulator/inbox/${encodeURIComponent(this.name)}`;
  }

  /** What came, oldest first. */
  async messages<Message = Record<string, unknown>>(): Promise<Message[]> {
    const path = `/inbox/${encodeURIComponent(this.name)}/messages`;
    return (await this.#control.list<Message>(path)).reverse();
  }

  clear(): Promise<void> {
    return this.#control.delete(`/inbox/${encodeURIComponent(this.name)}/messages`);
  }
}
