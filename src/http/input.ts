import type { z } from 'zod';
import { invalid } from '../errors.ts';
import { type FieldTree, fieldTree, requireListBounds, unknownFields } from './field-paths.ts';
import { issueError, unknownField } from './issue-text.ts';

/** A validated input: its value as the schema outputs it, and its unknown fields. */
export interface ReadInput {
  value: unknown;
  unknown: string[];
}

/** Validates inputs by a schema. */
export class InputReader {
  readonly #schema: z.ZodType;
  #built: FieldTree | undefined;

  constructor(schema: z.ZodType) {
    this.#schema = schema;
  }

  /** Built at the first request: most processes use few of all operations. */
  get #tree(): FieldTree {
    this.#built ??= fieldTree(this.#schema);
    return this.#built;
  }

  /** Throws `invalid_request` that names the first field at fault. */
  read(input: unknown): ReadInput {
    requireListBounds(this.#tree, input);
    const read = this.#schema.safeParse(input);
    if (!read.success) throw issueError(read.error.issues, this.#tree, input);
    return { value: read.data, unknown: unknownFields(this.#tree, input) };
  }

  /** The same where unknown fields are refused. Throws `invalid_request` that names the field which was probably meant [I233]. */
  readKnown(input: unknown): unknown {
    requireListBounds(this.#tree, input);
    const [unknown] = unknownFields(this.#tree, input);
    if (unknown !== undefined) throw unknownField(pathOf(unknown), this.#tree);
    return this.read(input).value;
  }
}

/** In strict mode an unknown field is an error, except where it asks for what happens anyway. */
export function refuseUnknown(unknown: readonly string[], harmless: readonly string[]): void {
  const field = unknown.find((path) => !harmless.includes(path));
  if (field === undefined) return;
  throw invalid(
    field,
    `${field} is not a field of this operation; leave it out, or start without --strict to have it ignored.`,
  );
}

function pathOf(field: string): PropertyKey[] {
  return field.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}
