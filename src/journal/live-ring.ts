/** Bounds: a minute of messages at the highest rate, and the characters of all of them. */
const MOST_MESSAGES = 600;
const MOST_BYTES = 8 * 1_048_576;

/** The last messages of one stream by number, for those who were away for a moment. */
export class LiveRing {
  readonly #stream: string;
  #messages: string[] = [];
  #bytes = 0;
  /** The number of the newest message. */
  #last = 0;

  /** `stream` tells this one from that of an earlier start. */
  constructor(stream: string) {
    this.#stream = stream;
  }

  /** The id of the newest message. */
  get newest(): string {
    return `${this.#stream}-${this.#last}`;
  }

  /** Keeps a message; answers its text as it is sent. */
  add(event: string, data: object): string {
    this.#last += 1;
    const text = eventText(event, this.newest, data);
    this.#messages.push(text);
    this.#bytes += text.length;
    while (this.#messages.length > MOST_MESSAGES || this.#bytes > MOST_BYTES) {
      this.#bytes -= this.#messages.shift()?.length ?? 0;
    }
    return text;
  }

  /** What came after a message; undefined when that is too long ago, or of another stream. */
  since(id: string): string[] | undefined {
    const dash = id.lastIndexOf('-');
    const number = Number(id.slice(dash + 1));
    const missing = this.#last - number;
    const isKnown = id.slice(0, dash) === this.#stream && Number.isInteger(number);
    if (!isKnown || missing < 0 || missing > this.#messages.length) return undefined;
    return this.#messages.slice(this.#messages.length - missing);
  }

  /** Nobody listens any more: what comes next follows on nothing that is known. */
  forget(): void {
    this.#last += 1;
    this.#messages = [];
    this.#bytes = 0;
  }
}

export function eventText(event: string, id: string, data: object): string {
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
