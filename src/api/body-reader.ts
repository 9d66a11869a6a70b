import type { z } from 'zod';
import { type FieldTree, fieldTree, unknownFields } from '../http/field-paths.ts';
import { issueError } from '../http/issue-text.ts';
import { requireListBounds } from '../http/list-bounds.ts';

/** Reads the params of a flow's step as the body of an operation. */
export class BodyReader<Schema extends z.ZodType> {
  readonly #schema: Schema;
  #grown: FieldTree | undefined;

  constructor(schema: Schema) {
    this.#schema = schema;
  }

  /** Grown at the first step: most emulators run no flow. */
  get #tree(): FieldTree {
    this.#grown ??= fieldTree(this.#schema);
    return this.#grown;
  }

  /** Throws `invalid_request` that names the first field at fault. */
  read(params: unknown): z.output<Schema> {
    requireListBounds(this.#tree, params);
    const read = this.#schema.safeParse(params);
    if (read.success) return read.data;
    throw issueError(read.error.issues, this.#tree, params);
  }

  /**
   * Reads as far as can be told while some values are open: a fault at one of them is none yet, and then nothing is
   * answered. Throws as `read` does for any other fault.
   */
  tryRead(params: unknown, isOpen: (path: readonly PropertyKey[]) => boolean): z.output<Schema> | undefined {
    requireListBounds(this.#tree, params);
    const read = this.#schema.safeParse(params);
    if (read.success) return read.data;
    const faults = read.error.issues.filter(({ path }) => !isOpen(path));
    if (faults.length > 0) throw issueError(faults, this.#tree, params);
    return undefined;
  }

  /** Paths of fields that the operation does not know. */
  unknown(params: unknown): string[] {
    return unknownFields(this.#tree, params);
  }
}
