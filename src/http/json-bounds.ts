import { z } from 'zod';
import { invalid } from '../errors.ts';
import { BACKSLASH, QUOTE } from './json-text.ts';

/** How deep JSON may nest [I226]. A body of fewer bytes cannot nest deeper. */
export const DEEPEST = 100;
/** How many objects and arrays a body may hold, and how many values: more would take long to validate, however short they are. */
const MOST_CONTAINERS = 20_000;
const MOST_VALUES = 200_000;

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

/** Throws `invalid_request` (param null) for a body that is not JSON, or is beyond a limit. */
export function notJson(error: unknown): never {
  if (error instanceof JsonBoundError) throw invalid(null, `The body ${error.message}.`, 'C028');
  const reason = error instanceof Error ? error.message.slice(0, 120) : 'unreadable';
  throw invalid(null, `The body is not valid JSON (${reason}); send one JSON object.`, 'C020');
}

/** Checks a small body before it is parsed. */
export function requireBounded(bytes: Buffer): void {
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
