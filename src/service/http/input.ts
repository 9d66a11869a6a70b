import { z } from 'zod';
import type { ChoiceId } from '../../base/errors.ts';
import { counted } from '../../base/text.ts';
import type { ModelKind } from '../../engine/catalogue/catalogue-file.ts';
import { type FieldTree, fieldTree, issueError, pathOf, unknownField } from './issue-text.ts';

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
    const faults = read.error.issues.filter(({ path }) => !isOpen(path));
    if (faults.length > 0) throw issueError(faults, this.#tree, input);
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

/** Null is the same as leaving it out. */
export function optional<T extends z.ZodType>(schema: T) {
  return schema.nullish().transform((value) => value ?? undefined);
}

/** The empty text means omitted, as forms and some clients send it. */
export function optionalText<T extends z.ZodType<string>>(schema: T) {
  return schema.nullish().transform((value) => value || undefined);
}

export function withDefault<T extends z.ZodType>(schema: T, value: z.output<T>) {
  return schema.nullish().transform((given): z.output<T> => given ?? value);
}

export function whole(min: number, max: number) {
  return z.int().min(min).max(max);
}

/** In Unicode code points. */
export interface TextBounds {
  min?: number;
  max?: number;
  choices?: { empty?: ChoiceId; long?: ChoiceId };
}

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

export interface IssueContext {
  addIssue(issue: { code: 'custom'; message: string; params?: { choice: ChoiceId | undefined } }): void;
}

export function checkText(value: string, { min = 0, max, choices }: TextBounds, context: IssueContext): void {
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

/** Texts so many times too long are not counted to the end. */
const FAR = 10;

/** Code points are at most as many as UTF-16 units and at least half as many, so most texts need no counting. */
function isLonger(value: string, max: number): boolean {
  return value.length > max && (value.length > 2 * max || codePoints(value) > max);
}

export function codePoints(value: string): number {
  const pairs = value.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g);
  return value.length - (pairs?.length ?? 0);
}

/** A deeper object cannot be serialized again. */
const DEEPEST_OBJECT = 32;

export function jsonObject() {
  return z.record(z.string(), z.unknown()).refine((value) => isShallow(value, DEEPEST_OBJECT), {
    error: `is nested more than ${DEEPEST_OBJECT} levels deep; make it flatter.`,
  });
}

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((each) => isShallow(each, levels - 1));
}

/** Paid responses contain exactly these two whole numbers of credits. */
export const usage = z.strictObject({
  credits_spent: z.int(),
  credits_remaining: z.int(),
});

/** In unix seconds. */
export const unixTime = z.int();

/** Marks a field with a model id of a kind, because the catalogue decides which ids exist. */
export const MODELS = 'x-models';

export function modelOf(kind: ModelKind) {
  return z.string().meta({ [MODELS]: kind });
}
