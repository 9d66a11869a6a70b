import type { z } from 'zod';
import { invalid } from '../errors.ts';
import { type FieldTree, fieldTree, pathOf } from './field-paths.ts';
import { issueError, unknownField } from './issue-text.ts';
import { BACKSLASH, QUOTE } from './json-text.ts';

/** Validates inputs by a schema. */
export class InputReader<Schema extends z.ZodType = z.ZodType> {
  readonly #schema: Schema;
  #built: FieldTree | undefined;

  constructor(schema: Schema) {
    this.#schema = schema;
  }

  /** Built at the first input: most processes use few of all operations. */
  get #tree(): FieldTree {
    this.#built ??= fieldTree(this.#schema);
    return this.#built;
  }

  /** The input as the schema outputs it. Throws `invalid_request` that names the first field at fault. */
  read(input: unknown): z.output<Schema> {
    requireListBounds(this.#tree, input);
    const read = this.#schema.safeParse(input);
    if (read.success) return read.data;
    throw issueError(read.error.issues, this.#tree, input);
  }

  /** The same where unknown fields are refused. Throws `invalid_request` that names the field which was probably meant [I233]. */
  readKnown(input: unknown): z.output<Schema> {
    requireListBounds(this.#tree, input);
    const [unknown] = this.unknown(input);
    if (unknown !== undefined) throw unknownField(pathOf(unknown), this.#tree);
    return this.read(input);
  }

  /**
   * Reads an input of which some values are not known yet: an issue at one of them is ignored, and then nothing is answered.
   * Throws as `read` does for any other issue.
   */
  tryRead(input: unknown, isOpen: (path: readonly PropertyKey[]) => boolean): z.output<Schema> | undefined {
    requireListBounds(this.#tree, input);
    const read = this.#schema.safeParse(input);
    if (read.success) return read.data;
    const faults = read.error.issues.filter(({ path }) => !isOpen(path));
    if (faults.length > 0) throw issueError(faults, this.#tree, input);
    return undefined;
  }

  /** Paths of the fields that the schema does not know: `top_p`, `messages.0.name`. */
  unknown(input: unknown): string[] {
    const found: string[] = [];
    findUnknown(this.#tree, input, '', found);
    return found;
  }
}

/** Runs for every request, so it allocates only for what it finds. */
function findUnknown(tree: FieldTree, value: unknown, path: string, found: string[]): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    const { items } = tree;
    if (!items?.fields && !items?.items) return;
    value.forEach((item, position) => {
      findUnknown(items, item, `${path}${position}.`, found);
    });
    return;
  }
  if (!tree.fields) return;
  for (const name of Object.keys(value)) {
    const known = tree.fields.get(name);
    if (!known) found.push(path + name);
    else if (known.fields || known.items) {
      findUnknown(known, Reflect.get(value, name), `${path}${name}.`, found);
    }
  }
}

/**
 * Throws `invalid_request` for a list that is longer than its schema accepts, before its items are validated: a schema
 * validates all of them first [I226].
 */
function requireListBounds(tree: FieldTree, value: unknown, path = ''): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) requireItems(tree, value, path);
  else if (tree.fields) {
    for (const [name, field] of tree.fields) {
      if (field.fields || field.items) requireListBounds(field, Reflect.get(value, name), `${path}${name}.`);
    }
  }
}

function requireItems({ items, most, takes }: FieldTree, list: readonly unknown[], path: string): void {
  if (most !== undefined && list.length > most) {
    const param = path.slice(0, -1);
    const remedy = takes ? ` It takes: ${takes}` : '';
    throw invalid(param, `${param} must have at most ${most} items; got an array of ${list.length}.${remedy}`);
  }
  if (!items?.fields && !items?.items) return;
  for (const [position, item] of list.entries()) requireListBounds(items, item, `${path}${position}.`);
}

/** How deep JSON may nest [I226]. */
const DEEPEST = 100;
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

/** Checks a small body before it is parsed. */
export function requireBounded(bytes: Buffer): void {
  // A shorter body cannot nest deeper.
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
