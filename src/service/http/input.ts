import { z } from 'zod';
import type { ChoiceId } from '../../base/errors.ts';
import { counted } from '../../base/text.ts';
import { type FieldTree, fieldTree, issueError, pathOf, unknownField } from './issue-text.ts';

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
    const read = this.#schema.safeParse(input);
    if (read.success) return read.data;
    throw issueError(read.error.issues, this.#tree, input);
  }

  /** The same where unknown fields are refused. Throws `invalid_request` that names the field which was probably meant [I233]. */
  readKnown(input: unknown): z.output<Schema> {
    const [unknown] = this.unknown(input);
    if (unknown !== undefined) throw unknownField(pathOf(unknown), this.#tree);
    return this.read(input);
  }

  /**
   * Reads an input of which some values are not known yet: an issue at one of them is ignored, and then nothing is answered.
   * Throws as `read` does for any other issue.
   */
  tryRead(input: unknown, isOpen: (path: readonly PropertyKey[]) => boolean): z.output<Schema> | undefined {
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

/** An optional field: null is the same as leaving it out. */
export function optional<T extends z.ZodType>(schema: T) {
  return schema.nullish().transform((value) => value ?? undefined);
}

/** An optional field with a value of its own when it is left out or null. */
export function withDefault<T extends z.ZodType>(schema: T, value: z.output<T>) {
  return schema.nullish().transform((given): z.output<T> => given ?? value);
}

/** A whole number within bounds. */
export function whole(min: number, max: number) {
  return z.int().min(min).max(max);
}

/** Bounds of a text, in Unicode code points. */
export interface TextBounds {
  min?: number;
  max?: number;
  /** A lone surrogate is replaced by U+FFFD, not refused: texts that are rendered may contain one. */
  isDrawn?: true;
  /** The choices by which an empty text and one that is too long are refused. */
  choices?: { empty?: ChoiceId; long?: ChoiceId };
}

/** A text whose length is counted in code points. */
export function text(bounds: TextBounds = {}) {
  return z
    .string()
    .superRefine((value, context) => checkText(value, bounds, context))
    .meta(lengthsOf(bounds));
}

/** JSON Schema counts code points too. */
export function lengthsOf({ min, max }: TextBounds): { minLength?: number; maxLength?: number } {
  return {
    ...(min === undefined ? {} : { minLength: min }),
    ...(max === undefined ? {} : { maxLength: max }),
  };
}

/** Where a schema reports issues. */
export interface IssueContext {
  addIssue(issue: { code: 'custom'; message: string; params?: { choice: ChoiceId | undefined } }): void;
}

export function checkText(value: string, { min = 0, max, choices }: TextBounds, context: IssueContext): void {
  if (!value.isWellFormed()) {
    context.addIssue({
      code: 'custom',
      message: 'holds half of a surrogate pair; send well-formed Unicode.',
    });
  }
  if (min > 0 && value === '') {
    context.addIssue({
      code: 'custom',
      message: `is empty; it must have at least ${counted(min, 'character')}.`,
      params: { choice: choices?.empty },
    });
  }
  if (max !== undefined && isLonger(value, max)) {
    context.addIssue({
      code: 'custom',
      message: `has ${value.length > FAR * max ? 'far too many' : codePoints(value)} characters; it must have at most ${max}. Shorten it.`,
      params: { choice: choices?.long },
    });
  }
}

/** Texts this many times too long are not counted to the end. */
const FAR = 10;

/** A text has at most as many code points as UTF-16 units and at least half as many: most need no counting. */
function isLonger(value: string, max: number): boolean {
  return value.length > max && (value.length > 2 * max || codePoints(value) > max);
}

/** The length of a text in Unicode code points. */
export function codePoints(value: string): number {
  const pairs = value.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g);
  return value.length - (pairs?.length ?? 0);
}
