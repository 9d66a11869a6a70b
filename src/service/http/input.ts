import { z } from 'zod';
import type { ModelKind } from '../../engine/catalogue/catalogue-file.ts';
import { type FieldTree, fieldTree, pathOf } from './field-tree.ts';
import { issueError, unknownField } from './issue-text.ts';

export class InputReader<Schema extends z.ZodType = z.ZodType> {
  readonly #schema: Schema;
  #built: FieldTree | undefined;

  constructor(schema: Schema) {
    this.#schema = schema;
  }

  /** Built at the first input, because most processes use few operations. */
  get #tree(): FieldTree {
    this.#built ??= fieldTree(this.#schema);
    return this.#built;
  }

  /** Throws `invalid_request` with the first field at fault. */
  read(input: unknown): z.output<Schema> {
    const read = this.#schema.safeParse(input);
    if (read.success) return read.data;
    throw issueError(read.error.issues, this.#tree, input);
  }

  /** Rejects unknown fields too. Throws `invalid_request` with the closest known field [I233]. */
  readKnown(input: unknown): z.output<Schema> {
    const [unknown] = this.unknown(input);
    if (unknown !== undefined) throw unknownField(pathOf(unknown), this.#tree);
    return this.read(input);
  }

  /**
   * For an input with values that are not known yet: issues there are ignored, and the result is then undefined. Throws
   * as `read` does for other issues.
   */
  tryRead(input: unknown, isOpen: (path: readonly PropertyKey[]) => boolean): z.output<Schema> | undefined {
    const read = this.#schema.safeParse(input);
    if (read.success) return read.data;
    const issues = read.error.issues.filter(({ path }) => !isOpen(path));
    if (issues.length > 0) throw issueError(issues, this.#tree, input);
    return undefined;
  }

  /** Paths of unknown fields: `top_p`, `messages.0.name`. */
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

/** Paid responses contain exactly these two whole numbers of credits. */
export const usage = z.strictObject({
  credits_spent: z.int(),
  credits_remaining: z.int(),
});

/** Marks a field with a model id of a kind, because the catalogue decides which ids exist. */
export const MODELS = 'x-models';

export function modelOf(kind: ModelKind) {
  return z.string().meta({ [MODELS]: kind });
}
