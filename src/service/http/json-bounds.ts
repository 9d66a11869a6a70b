import { z } from 'zod';
import { invalid } from '../../base/errors.ts';

/** How deep JSON may nest [I226]. A body of fewer bytes cannot nest deeper. */
export const DEEPEST = 100;
/** How many objects and arrays a body may hold, and how many values: more would take long to validate, however short they are. */
const MOST_CONTAINERS = 20_000;
const MOST_VALUES = 200_000;

/** `[` and `{`, `]` and `}` differ in this bit alone. */
const SAME_BRACKET = 0x20;
const OPENING = 0x7b;
const CLOSING = 0x7d;
const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];

/** JSON that is beyond a limit, whether or not it is well-formed. */
export class JsonBoundError extends Error {}

/** Throws `invalid_request` (param null) for a body that is not JSON, or is beyond a limit. */
export function notJson(error: unknown): never {
  if (error instanceof JsonBoundError) throw invalid(null, `The body ${error.message}.`, 'C028');
  const reason = error instanceof Error ? error.message.slice(0, 120) : 'unreadable';
  throw invalid(null, `The body is not valid JSON (${reason}); send one JSON object.`, 'C020');
}

/** Throws `JsonBoundError` for JSON beyond a limit: to parse it would take seconds, to count its marks does not. */
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
  /** All but the first of a list or an object follow a comma. */
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
    throw new JsonBoundError(`holds over ${limit}, the most that one may; send fewer`);
  }

  #open(): void {
    this.#depth += 1;
    this.#containers += 1;
    if (this.#depth > DEEPEST) throw new JsonBoundError(`is nested deeper than ${DEEPEST} levels; make it flatter`);
  }
}

/** How deep a JSON object may nest: a deeper one cannot be serialized again. */
const DEEPEST_OBJECT = 32;

/** Any JSON object. */
export function jsonObject() {
  return z.record(z.string(), z.unknown()).refine((value) => isShallow(value, DEEPEST_OBJECT), {
    error: `is nested more than ${DEEPEST_OBJECT} levels deep; make it flatter.`,
  });
}

/** Whether a value nests no deeper than so many levels. */
export function isShallow(value: unknown, levels: number = DEEPEST): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((each) => isShallow(each, levels - 1));
}
