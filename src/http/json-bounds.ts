/** How deep JSON may nest [I226]. */
const DEEPEST = 100;
/** How many objects and arrays a body may hold, and how many values: what is beyond takes long to look at, however short it is. */
const MOST_CONTAINERS = 20_000;
const MOST_VALUES = 200_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** `[` and `{`, `]` and `}` differ in this bit alone. */
const SAME_BRACKET = 0x20;
const OPENING = 0x7b;
const CLOSING = 0x7d;

/** JSON that is beyond a limit, whether or not it is well-formed. */
export class JsonBoundError extends Error {}

/** Counts what a body holds as it is read. Throws `JsonBoundError` for what is beyond a limit. */
export class JsonBounds {
  #depth = 0;
  #containers = 0;
  #values = 0;

  open(): void {
    this.#depth += 1;
    this.#containers += 1;
    if (this.#depth > DEEPEST) {
      throw new JsonBoundError(`is nested deeper than ${DEEPEST} levels; make it flatter`);
    }
    if (this.#containers > MOST_CONTAINERS) {
      throw new JsonBoundError(`holds over ${MOST_CONTAINERS} objects and arrays, the most that one may; send fewer`);
    }
  }

  close(): void {
    this.#depth -= 1;
  }

  count(): void {
    this.#values += 1;
    if (this.#values > MOST_VALUES) {
      throw new JsonBoundError(`holds over ${MOST_VALUES} values, the most that one may; send fewer`);
    }
  }
}

/** Walks a small body before anything is built of it. */
export function requireBounded(bytes: Buffer): void {
  // What is shorter has no room for so many brackets.
  if (bytes.length <= DEEPEST) return;
  const bounds = new JsonBounds();
  let isText = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) isText = !isText;
    else if (isText) at += byte === BACKSLASH ? 1 : 0;
    else if ((byte | SAME_BRACKET) === OPENING) bounds.open();
    else if ((byte | SAME_BRACKET) === CLOSING) bounds.close();
  }
}
