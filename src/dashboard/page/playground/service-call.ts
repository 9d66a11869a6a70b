import { withQueryParams } from '../data/call-api.ts';
import type { ServiceCall } from '../data/code-samples.ts';

interface BodyDocument {
  schema: { properties?: Record<string, object> };
  examples?: Record<string, { value: Record<string, unknown> }>;
}

interface DocumentedOperation {
  operationId: string;
  description: string;
  parameters?: { name: string; in: string; required?: boolean; description?: string }[];
  requestBody?: { content: Record<string, BodyDocument> };
}

export interface ServiceOpenApiDocument {
  paths: Record<string, Record<string, DocumentedOperation>>;
}

export interface ServiceOperation {
  id: string;
  method: string;
  /** The path with its parameters in braces, as in `/v1/storage/objects/{id}`. */
  path: string;
  summary: string;
  params: NonNullable<DocumentedOperation['parameters']>;
  fields: readonly string[];
  isUpload: boolean;
  presets: readonly (readonly [name: string, body: string])[];
}

export interface CallDraft {
  params: Readonly<Record<string, string>>;
  body: string;
  file?: File | undefined;
}

const FORM = 'multipart/form-data';
const FILE = 'file';

export function listServiceOperations({ paths }: ServiceOpenApiDocument): ServiceOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const { operationId: id, description: summary, parameters: params = [], requestBody } = operation;
      const content = requestBody?.content ?? {};
      const { schema, examples = {} } = content['application/json'] ?? content[FORM] ?? {};
      const fields = Object.keys(schema?.properties ?? {}).filter((name) => name !== FILE);
      const presets = Object.entries(examples).map(
        ([name, { value }]) => [name, JSON.stringify({ ...value, [FILE]: undefined }, null, 2)] as const,
      );
      return { id, method: method.toUpperCase(), path, summary, params, fields, isUpload: FORM in content, presets };
    }),
  );
}

export function describeDraftProblem({ params, fields }: ServiceOperation, draft: CallDraft): string | undefined {
  const missing = params.find(({ name, required }) => required && !draft.params[name]);
  if (missing) return `${missing.name} is missing.`;
  if (fields.length === 0) return undefined;
  try {
    const body = JSON.parse(draft.body);
    return typeof body === 'object' && body !== null ? undefined : 'The body must be a JSON object.';
  } catch (error) {
    return `The body is not JSON: ${(error as Error).message}`;
  }
}

export function buildCallFromDraft(
  { method, path, params, fields, isUpload }: ServiceOperation,
  draft: CallDraft,
): ServiceCall {
  const filled = path.replaceAll(/\{(\w+)\}/g, (hole, name) =>
    draft.params[name] ? encodeURIComponent(draft.params[name]) : hole,
  );
  const query = params.filter((each) => each.in !== 'path').map(({ name }) => [name, draft.params[name]]);
  const call = { method, path: withQueryParams(filled, Object.fromEntries(query)) };
  if (!isUpload) return { ...call, request: fields.length > 0 ? draft.body : null };
  const texts = Object.entries(JSON.parse(draft.body)).map(([name, value]) => [name, String(value)]);
  return { ...call, request: null, form: { fields: Object.fromEntries(texts), file: draft.file } };
}

export function formDataOf({ fields, file }: NonNullable<ServiceCall['form']>): FormData {
  const body = new FormData();
  if (file) body.set(FILE, file);
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  return body;
}
