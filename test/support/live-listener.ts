import { expect } from 'vitest';

interface Message {
  id: string;
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: messages are asserted field by field
  data: any;
}

/** A client of the live feed. `next` skips to the next message of a kind. */
export class LiveListener {
  readonly messages: Message[] = [];
  readonly #gone = new AbortController();
  #read = 0;
  #text = '';
  #chunks: AsyncIterator<Uint8Array> | undefined;

  static async join({ url }: { url: string }, after?: string): Promise<LiveListener> {
    const listener = new LiveListener();
    const query = after === undefined ? '' : `?after=${after}`;
    const response = await fetch(`${url}/_emulator/live${query}`, {
      signal: listener.#gone.signal,
    });
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    if (response.body) listener.#chunks = response.body[Symbol.asyncIterator]();
    return listener;
  }

  async next(event: string): Promise<Message> {
    for (;;) {
      const message = await this.message();
      if (message.event === event) return message;
    }
  }

  async message(): Promise<Message> {
    while (this.#read >= this.messages.length) {
      if (!(await this.#receive())) throw new Error('the stream has ended');
    }
    return this.messages[this.#read++] as Message;
  }

  /** Returns at least `count` requests, in the order of their messages. */
  async requests(count: number): Promise<{ path: string; status: number }[]> {
    const found = [];
    while (found.length < count) found.push(...(await this.next('batch')).data.requests);
    return found;
  }

  async ended(): Promise<boolean> {
    while (await this.#receive());
    return true;
  }

  leave(): void {
    this.#gone.abort();
  }

  async #receive(): Promise<boolean> {
    const chunk = await this.#chunks?.next();
    if (!chunk || chunk.done) return false;
    this.#text += Buffer.from(chunk.value).toString();
    const blocks = this.#text.split('\n\n');
    this.#text = blocks.pop() ?? '';
    this.messages.push(...blocks.map(readBlock));
    return true;
  }
}

function readBlock(block: string): Message {
  const fields = Object.fromEntries(
    block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  );
  return {
    id: fields.id ?? '',
    event: fields.event ?? '',
    data: JSON.parse(fields.data ?? 'null'),
  };
}
