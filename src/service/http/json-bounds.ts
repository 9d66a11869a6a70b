import { z } from 'zod';
import { invalid } from '../../base/errors.ts';

/** How deep JSON may nest [I226]. A shorter body cannot nest deeper. */
export const DEEPEST = 100;
/** Objects and arrays, and values, of a body. More would take long to validate. */
const MOST_CONTAINERS = 20_000;
const MOST_VALUES = 200_000;

/** `[` and `{`, `]` and `}` differ only in this bit. */
const SAME_BRACKET = 0x20;
const OPENING = 0x7b;
const CLOSING = 0x7d;
const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];

export class JsonBoundError extends Error {}

/** Throws `invalid_request` (param null) if the body is not JSON or exceeds a limit. */
export function notJson(error: unknown): never {
  if (error instanceof JsonBoundError) throw invalid(null, `The body ${error.message}.`, 'C028');
  const reason = error instanceof Error ? error.message.slice(0, 120) : 'unreadable';
  throw invalid(null, `The body is not valid JSON (${reason}); send one JSON object.`, 'C020');
}

/** Throws `JsonBoundError`. Counting is fast, while parsing such JSON would take seconds. */
export function requireBounded(bytes: Buffer): void {
  const bounds = new JsonBounds();
  let isText = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) isText = !isText;
    else if (!isText) bounds.count(byte);
    else if (byte === BACKSLASH) at += 1;
  }
  bounds.requireFew();
}

class JsonBounds {
  #depth = 0;
  #containers = 0;
  /** Each further value of an array or object follows a comma. */
  #values = 1;

  count(byte: number): void {
    if (byte === COMMA) this.#values += 1;
    else if ((byte | SAME_BRACKET) === CLOSING) this.#depth -= 1;
    else if ((byte | SAME_BRACKET) === OPENING) this.#open();
  }

  requireFew(): void {
    const over = this.#containers > MOST_CONTAINERS;
    if (!over && this.#values <= MOST_VALUES) return;
    const limit = over ? `${MOST_CONTAINERS} objects and arrays` : `${MOST_VALUES} values`;
    throw new JsonBoundError(`has more than ${limit}; send fewer`);
  }

  #open(): void {
    this.#depth += 1;
    this.#containers += 1;
    if (this.#depth > DEEPEST) throw new JsonBoundError(`is nested deeper than ${DEEPEST} levels; make it flatter`);
  }
}

/** A deeper object cannot be serialized again. */
const DEEPEST_OBJECT = 32;

export function jsonObject() {
  return z.record(z.string(), z.unknown()).refine((value) => isShallow(value, DEEPEST_OBJECT), {
    error: `is nested more than ${DEEPEST_OBJECT} levels deep; make it flatter.`,
  });
}

export function isShallow(value: unknown, levels: number = DEEPEST): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((each) => isShallow(each, levels - 1));
}
