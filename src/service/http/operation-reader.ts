import { hash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import type { Config } from '../../base/config/config.ts';
import type { Files } from '../../engine/storage/files.ts';
import { parseJson, readBody, readNothing } from './body.ts';
import { mistypedError, mistypedIn, mistypedWarning } from './directed-text.ts';
import { pathOf } from './field-tree.ts';
import { InputReader } from './input.ts';
import { rejectUnknownFields } from './issue-text.ts';
import { isNeutralValue } from './neutral-values.ts';
import type { Operation } from './operation.ts';
import { type CallInput, requestContextOf, type ServiceRequest } from './request.ts';
import { readUpload } from './upload.ts';

export interface OperationInput extends CallInput {
  /** Entries of `svc-emulator-warnings`: unknown fields, mistyped directives. */
  ignored: string[];
}

const NONE: string[] = [];

const NO_FIELDS = z.object({});

interface ReaderParts {
  config: Config;
  files: Files;
}

export class OperationReader {
  readonly #operation: Operation;
  readonly #parts: ReaderParts;
  readonly #query: InputReader | undefined;
  readonly #body: InputReader | undefined;
  readonly #isStrict: boolean;

  constructor(operation: Operation, parts: ReaderParts) {
    this.#operation = operation;
    this.#parts = parts;
    // Rejects unknown fields of control operations, because a call with a misspelled filter would act on all accounts
    // [I233].
    this.#isStrict = operation.access === 'local';
    const taken = (schema: z.ZodType | undefined) => schema ?? (this.#isStrict ? NO_FIELDS : undefined);
    const [query, body] = [taken(operation.query), taken(operation.body)];
    this.#query = query && new InputReader(query);
    this.#body = body && new InputReader(body);
  }

  async read(request: ServiceRequest, response: ServerResponse): Promise<OperationInput> {
    const { upload, body, bodyLimit } = this.#operation;
    if (upload) return this.#readForm(request, response, upload);
    if (!body) return this.#validate(request, this.#isStrict ? await readNothing(request) : {});
    const bytes = await readBody(request, bodyLimit);
    requestContextOf(response).body = bytes;
    return this.#validate(request, parseJson(bytes));
  }

  /** Reads a form. If its text fields are invalid, no file is left. */
  async #readForm(request: ServiceRequest, response: ServerResponse, field: string): Promise<OperationInput> {
    const { fields, file } = await readUpload(request, response, { field, files: this.#parts.files });
    const { annotations } = requestContextOf(response);
    annotations.bytes = file.bytes;
    annotations.form = hash('sha1', JSON.stringify([file.sha256, fields]), 'base64');
    // Leaves out empty fields, because a form sends those that the user did not fill in.
    const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));
    try {
      return { ...this.#validate(request, given), file };
    } catch (error) {
      await file.discard();
      throw error;
    }
  }

  #validate(request: ServiceRequest, given: unknown): OperationInput {
    if (this.#isStrict) {
      const query = this.#query?.readKnown(this.#named(request.query));
      return { query, body: this.#body?.readKnown(given), file: undefined, ignored: NONE };
    }
    const query = this.#query?.read(request.query);
    const body = this.#body?.read(given);
    const unknown = this.#unknown(request, given);
    if (unknown.length > 0 && this.#parts.config.strict) {
      const { neutral } = this.#operation;
      rejectUnknownFields(unknown.filter((field) => !isNeutralValue(pathOf(field), given, neutral)));
    }
    return { query, body, file: undefined, ignored: [...unknown, ...this.#mistyped(body)] };
  }

  /** The mistyped directives of the body. Only texts of paid operations contain directives. */
  #mistyped(body: unknown): string[] {
    if (!this.#operation.paid) return NONE;
    const [first, ...others] = mistypedIn(body);
    if (!first) return NONE;
    if (this.#parts.config.strict) throw mistypedError(first);
    return [first, ...others].map(mistypedWarning);
  }

  #unknown(request: ServiceRequest, given: unknown): string[] {
    const ofBody = this.#body?.unknown(given) ?? NONE;
    return this.#query ? [...this.#query.unknown(request.query), ...ofBody] : ofBody;
  }

  /** Replaces the alias of a field in a query. If a query has both names, the alias stays and is rejected. */
  #named(query: ServiceRequest['query']): ServiceRequest['query'] {
    const { alias } = this.#operation;
    if (!alias || Object.hasOwn(query, alias.field) || !Object.hasOwn(query, alias.name)) return query;
    const { [alias.name]: value, ...others } = query;
    return { ...others, [alias.field]: value };
  }
}
