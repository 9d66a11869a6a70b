import { Ajv2020, type SchemaObject } from 'ajv/dist/2020.js';
import type { Answer } from '../../support/world.ts';

interface Media {
  schema: SchemaObject;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

/** The fields of a documented operation that these tests use. */
export interface DocumentedOperation {
  method: string;
  path: string;
  operationId: string;
  parameters: { name: string; in: string; required: boolean; schema: SchemaObject }[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { $ref?: string; content?: Record<string, Media> }>;
}

interface OpenapiDocument {
  paths: Record<string, Record<string, Omit<DocumentedOperation, 'method' | 'path'>>>;
  components: { responses: Record<string, { content?: Record<string, unknown> }> };
}

/** Checks responses against an OpenAPI document. */
export class DocumentAnswers {
  readonly operations: DocumentedOperation[];
  readonly #document: OpenapiDocument;
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });

  constructor(document: OpenapiDocument) {
    this.#document = document;
    this.#ajv.addSchema(document, 'document');
    this.operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, shape]) => ({
        ...shape,
        method: method.toUpperCase(),
        path,
      })),
    );
  }

  /** Describes how a response violates the document; undefined if it does not. */
  fault({ path, method, responses }: DocumentedOperation, answer: Answer): string | undefined {
    const status = String(answer.status);
    const key = status in responses ? status : `${status[0]}XX`;
    const response = responses[key];
    if (!response) return `status ${status} is not documented`;
    const at = response.$ref?.slice(1) ?? `/paths/${escaped(path)}/${method.toLowerCase()}/responses/${key}`;
    const name = at.split('/').at(-1) ?? '';
    const { content = {} } = response.$ref ? (this.#document.components.responses[name] ?? {}) : response;
    const type = answer.headers.get('content-type')?.split(';')[0];
    if (Object.keys(content).length === 0) {
      return answer.bytes.length === 0 ? undefined : `${status} has a body where none is documented`;
    }
    if (type === undefined || !(type in content)) return `${status} is ${type}, documented are ${Object.keys(content)}`;
    if (type !== 'application/json') return undefined;
    const $ref = `document#${at}/content/${escaped(type)}/schema`;
    if (this.#ajv.validate({ $ref }, answer.body)) return undefined;
    return `${status}: ${this.#ajv.errorsText()} in ${JSON.stringify(answer.body).slice(0, 300)}`;
  }
}

function escaped(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}
