import type { z } from 'zod';
import { invalid } from '../errors.ts';
import { type FieldTree, fieldTree, requireListBounds, unknownFields } from './field-paths.ts';
import { issueError, unknownField } from './issue-text.ts';

/** What an input came to: its value as the schema gives it, and the fields that it does not know. */
export interface ReadInput {
  value: unknown;
  unknown: string[];
}

/** A schema made ready to read inputs. */
export class InputReader {
  readonly #schema: z.ZodType;
  #grown: FieldTree | undefined;

  constructor(schema: z.ZodType) {
    this.#schema = schema;
  }

  /** Grown at the first request: most processes see few of all operations. */
  get #tree(): FieldTree {
    this.#grown ??= fieldTree(this.#schema);
    return this.#grown;
  }

  /** Throws `invalid_request` that names the first field at fault. */
  read(input: unknown): ReadInput {
    requireListBounds(this.#tree, input);
    const read = this.#schema.safeParse(input);
    if (!read.success) throw issueError(read.error.issues, this.#tree, input);
    return { value: read.data, unknown: unknownFields(this.#tree, input) };
  }

  /** The same where nothing unknown passes. Throws `invalid_request` that names the field which was probably meant [I233]. */
  readKnown(input: unknown): unknown {
    requireListBounds(this.#tree, input);
    const [unknown] = unknownFields(this.#tree, input);
    if (unknown !== undefined) throw unknownField(pathOf(unknown), this.#tree);
    return this.read(input).value;
  }
}

/** In strict mode an unknown field is an error, but for those by which a client asks for what happens anyway. */
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
