import { z } from 'zod';
import type { ModelKind } from '../../engine/catalogue/catalogue-file.ts';
import { buildFieldTree, type FieldTree, parseFieldPath } from './field-tree.ts';
import { unknownFieldError, validationError } from './issue-text.ts';

export class InputReader<Schema extends z.ZodType = z.ZodType> {
  readonly #schema: Schema;
  readonly #whole: string;
  #built: FieldTree | undefined;

  constructor(schema: Schema, whole = 'The body') {
    this.#schema = schema;
    this.#whole = whole;
  }

  /** The tree is built at its first use, because most processes use few operations. */
  get #tree(): FieldTree {
    this.#built ??= buildFieldTree(this.#schema);
    return this.#built;
  }

  read(input: unknown): z.output<Schema> {
    const read = this.#schema.safeParse(input);
    if (read.success) return read.data;
    throw this.#error(read.error.issues, input);
  }

  /** Also rejects unknown fields [I233]. */
  readKnown(input: unknown): z.output<Schema> {
    const [unknown] = this.unknown(input);
    if (unknown !== undefined) throw unknownFieldError(parseFieldPath(unknown), this.#tree);
    return this.read(input);
  }

  /** Undefined if the only errors are at values that are not known yet (`isOpen`). Throws as `read` does for other errors. */
  tryRead(input: unknown, isOpen: (path: readonly PropertyKey[]) => boolean): z.output<Schema> | undefined {
    const read = this.#schema.safeParse(input);
    if (read.success) return read.data;
    const issues = read.error.issues.filter(({ path }) => !isOpen(path));
    if (issues.length > 0) throw this.#error(issues, input);
    return undefined;
  }

  #error(issues: readonly z.core.$ZodIssue[], input: unknown): Error {
    return validationError(issues, { tree: this.#tree, input, whole: this.#whole });
  }

  unknown(input: unknown): string[] {
    const found: string[] = [];
    findUnknown(this.#tree, input, '', found);
    return found;
  }
}

/** Runs for most requests, so it must be fast. */
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

/** The `usage` of a paid JSON response, in credits. */
export const creditUsageSchema = z.strictObject({
  credits_spent: z.int(),
  credits_remaining: z.int(),
});

/** Marks a field that contains a model id with the kind of model. The schema lists no ids, because the catalogue decides which exist. */
export const MODEL_KIND_KEY = 'x-models';

export function modelIdSchema(kind: ModelKind) {
  return z.string().meta({ [MODEL_KIND_KEY]: kind });
}
