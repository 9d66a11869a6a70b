import { hash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import { LARGE, parseJson, parseLarge, readBody, readNothing, requireType } from './body.ts';
import type { BodyBufferPool } from './body-buffer-pool.ts';
import type { CallInput } from './call.ts';
import type { Context } from './context.ts';
import { InputReader, refuseUnknown } from './input.ts';
import type { Parsing } from './large-json.ts';
import type { Operation } from './operation.ts';
import { requestContextOf } from './request-context.ts';
import type { ServiceRequest } from './service-request.ts';
import { readUpload } from './upload.ts';

export interface Input extends CallInput {
  /** Paths of fields that the operation does not know. */
  unknown: string[];
}

const NONE: string[] = [];

/** The query or body of a control operation that has none. */
const NO_FIELDS = z.object({});
/** What reading a body needs. */
export type ReaderParts = Pick<Context, 'config' | 'files'> & { buffers: BodyBufferPool };

/** Reads and validates what an operation takes. */
export class OperationReader {
  readonly #operation: Operation;
  readonly #parts: ReaderParts;
  readonly #query: InputReader | undefined;
  readonly #body: InputReader | undefined;
  readonly #parsing: Parsing;
  readonly #isStrict: boolean;

  constructor(operation: Operation, parts: ReaderParts) {
    this.#operation = operation;
    this.#parts = parts;
    this.#parsing = { skimmed: operation.skimmed ?? NONE };
    // A control call with a misspelt filter would act on all accounts: unknown fields are refused there [I233].
    this.#isStrict = operation.access === 'local';
    const taken = (schema: z.ZodType | undefined) => schema ?? (this.#isStrict ? NO_FIELDS : undefined);
    const [query, body] = [taken(operation.query), taken(operation.body)];
    this.#query = query && new InputReader(query);
    this.#body = body && new InputReader(body);
  }

  async read(request: ServiceRequest, response: ServerResponse): Promise<Input> {
    const { upload, body, bodyLimit, stream } = this.#operation;
    const { buffers } = this.#parts;
    if (stream) requireType(request, stream);
    if (upload) return this.#readForm(request, response, upload);
    if (!body) return this.#validate(request, this.#isStrict && !stream ? await readNothing(request) : {});
    const bytes = await readBody(request, { limit: bodyLimit, buffers });
    const requestContext = requestContextOf(response);
    requestContext.body = bytes;
    if (bytes.length <= LARGE) return this.#validate(request, parseJson(bytes));
    const parsed = await parseLarge(bytes, this.#parsing);
    requestContext.giveBack = () => buffers.giveBack(bytes);
    return this.#validate(request, parsed);
  }

  /** A form whose text fields are refused leaves no file. */
  async #readForm(request: ServiceRequest, response: ServerResponse, field: string): Promise<Input> {
    const { fields, file } = await readUpload(request, response, {
      field,
      files: this.#parts.files,
    });
    const { facts } = requestContextOf(response);
    facts.bytes = file.bytes;
    facts.form = hash('sha1', JSON.stringify([file.sha256, fields]), 'base64');
    try {
      return { ...this.#validate(request, fields), file };
    } catch (error) {
      await file.discard();
      throw error;
    }
  }

  #validate(request: ServiceRequest, given: unknown): Input {
    if (this.#isStrict) {
      const query = this.#query?.readKnown(this.#named(request.query));
      return { query, body: this.#body?.readKnown(given), file: undefined, unknown: NONE };
    }
    const query = this.#query?.read(request.query);
    const body = this.#body?.read(given);
    const unknown = query ? [...query.unknown, ...(body?.unknown ?? [])] : (body?.unknown ?? NONE);
    if (unknown.length > 0 && this.#parts.config.strict) {
      refuseUnknown(unknown, this.#operation.harmless?.(given as Record<string, unknown>) ?? []);
    }
    return { query: query?.value, body: body?.value, file: undefined, unknown };
  }

  /** A query with aliases replaced by the names of its schema; where it has both, the alias stays and is refused. */
  #named(query: ServiceRequest['query']): ServiceRequest['query'] {
    const { alias } = this.#operation;
    if (!alias || Object.hasOwn(query, alias.field) || !Object.hasOwn(query, alias.name)) return query;
    const { [alias.name]: value, ...others } = query;
    return { ...others, [alias.field]: value };
  }
}
