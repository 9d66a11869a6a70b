import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { type EmulatorError, invalid } from '../errors.ts';
import type { CallInput } from './call.ts';
import type { Context } from './context.ts';
import { InputReader, JsonBoundError, requireBounded } from './input.ts';
import { refuseUnknown } from './issue-text.ts';
import { type Parsing, parseLargeJson } from './large-json.ts';
import type { Operation } from './operation.ts';
import { type BodyBufferPool, readBody, readBytes, requireType } from './read-bytes.ts';
import { requestContextOf, type ServiceRequest } from './request-context.ts';
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
    const unknown = this.#unknown(request, given);
    if (unknown.length > 0 && this.#parts.config.strict) {
      refuseUnknown(unknown, this.#operation.harmless?.(given as Record<string, unknown>) ?? []);
    }
    return { query, body, file: undefined, unknown };
  }

  #unknown(request: ServiceRequest, given: unknown): string[] {
    const ofBody = this.#body?.unknown(given) ?? NONE;
    return this.#query ? [...this.#query.unknown(request.query), ...ofBody] : ofBody;
  }

  /** A query with aliases replaced by the names of its schema; where it has both, the alias stays and is refused. */
  #named(query: ServiceRequest['query']): ServiceRequest['query'] {
    const { alias } = this.#operation;
    if (!alias || Object.hasOwn(query, alias.field) || !Object.hasOwn(query, alias.name)) return query;
    const { [alias.name]: value, ...others } = query;
    return { ...others, [alias.field]: value };
  }
}

/** Beyond this many bytes a body is parsed in several turns of the event loop. */
export const LARGE = 131_072;

/** Throws `invalid_request` (param null) for what is not JSON in UTF-8. */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw notUtf8();
  try {
    requireBounded(bytes);
    return JSON.parse(bytes.toString());
  } catch (error) {
    return notJson(error);
  }
}

/** The same for a large body, without blocking the event loop. */
export async function parseLarge(bytes: Buffer, parsing: Parsing): Promise<unknown> {
  const value = await parseLargeJson(bytes, parsing).catch(notJson);
  if (value === undefined) throw notUtf8();
  return value;
}

function notUtf8(): EmulatorError {
  return invalid(null, 'The body is not valid UTF-8; encode the JSON as UTF-8.');
}

function notJson(error: unknown): never {
  if (error instanceof JsonBoundError) throw invalid(null, `The body ${error.message}.`);
  const reason = error instanceof Error ? error.message.slice(0, 120) : 'unreadable';
  throw invalid(null, `The body is not valid JSON (${reason}); send one JSON object.`);
}

/** More bytes than an empty object needs. */
const MOST_OF_NOTHING = 65_536;

/** Reads the body of an operation that takes none: usually it is empty. */
export async function readNothing(request: IncomingMessage): Promise<unknown> {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
  if (length === '0' && encoding === undefined) return {};
  const bytes = await readBytes(request, MOST_OF_NOTHING);
  return bytes.length === 0 ? {} : parseJson(bytes);
}
