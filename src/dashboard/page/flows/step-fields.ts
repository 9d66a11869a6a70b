import { useQuery } from '@tanstack/react-query';
import { ask } from '../data/call-api.ts';
import { useList } from '../data/queries.ts';
import type { StepType } from './flow-records.ts';

/** How a param is edited. */
export type FieldKind = 'line' | 'long' | 'number' | 'choice' | 'json';

export interface StepField {
  name: string;
  kind: FieldKind;
  note: string;
  /** Of a choice: its values, and how they read. */
  options: readonly (readonly [unknown, string])[];
  isRequired: boolean;
}

interface Schema {
  type?: string | string[];
  description?: string;
  enum?: unknown[];
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
}

interface Document {
  paths: Record<string, { post?: { requestBody?: { content: Record<string, { schema: Schema } | undefined> } } }>;
}

/** Whose body the params of a step are. */
const PATHS: Partial<Record<StepType, string>> = {
  image: '/v1/images/generations',
  video: '/v1/videos/generations',
  music: '/v1/music/generations',
  speech: '/v1/audio/speech',
};

const TEXT: Schema = {
  properties: {
    prompt: { type: 'string', description: 'what to write.' },
    model: { enum: ['svc-rp-plus', 'svc-rp-mini'], description: 'svc-rp-plus is the default.' },
  },
  required: ['prompt'],
};

const POST: Schema = {
  properties: {
    text: { type: 'string', description: 'the text of the post.' },
    url: { type: 'string', description: 'of what the post shows, as {{steps.1.url}}.' },
  },
};

/** What a step has no use for. */
const USELESS: Partial<Record<StepType, readonly string[]>> = {
  image: ['response_format'],
  music: ['n'],
};

/** What is always shown, in this order; the rest where it is set or asked for. */
const SHOWN: Record<StepType, readonly string[]> = {
  text: ['prompt', 'model'],
  image: ['prompt'],
  video: ['prompt', 'model', 'reference', 'seconds'],
  music: ['prompt', 'title', 'seconds'],
  speech: ['input', 'voice'],
  post: ['text', 'url'],
};

const LONG = ['prompt', 'input', 'text', 'lyrics', 'style', 'negative_prompt'];

export function isAlwaysShown(type: StepType, name: string): boolean {
  return SHOWN[type].includes(name);
}

/** The params that each type of step takes, from the emulator's own OpenAPI document. */
export function useStepFields(type: StepType): StepField[] {
  const { data } = useQuery({
    queryKey: ['openapi.json'],
    queryFn: async () => (await (await ask('/openapi.json', {})).json()) as Document,
  });
  const { data: engines = [] } = useList<{ id: string; label: string }>('/engines', {
    enabled: type === 'video',
  });
  const schema = type === 'text' ? TEXT : type === 'post' ? POST : bodyOf(data, PATHS[type] ?? '');
  const order = SHOWN[type];
  const names = Object.keys(schema?.properties ?? {}).filter((name) => !USELESS[type]?.includes(name));
  const rest = names.filter((name) => !order.includes(name));
  return [...order.filter((name) => names.includes(name)), ...rest].map((name) => {
    const field = fieldOf(name, schema ?? {});
    if (type !== 'video' || name !== 'model' || engines.length === 0) return field;
    return {
      ...field,
      kind: 'choice',
      options: engines.map(({ id, label }) => [id, named(id, label)]),
    };
  });
}

function named(id: string, label: string): string {
  return id === label ? id : `${label} · ${id}`;
}

function bodyOf(document: Document | undefined, path: string): Schema | undefined {
  return document?.paths[path]?.post?.requestBody?.content['application/json']?.schema;
}

function fieldOf(name: string, { properties = {}, required = [] }: Schema): StepField {
  const schema = properties[name] ?? {};
  const inner = schema.anyOf?.find(({ type }) => type !== 'null') ?? schema;
  const base = { name, note: schema.description ?? '', isRequired: required.includes(name) };
  if (inner.enum) {
    return { ...base, kind: 'choice', options: inner.enum.map((each) => [each, String(each)]) };
  }
  const types = [inner.type ?? []].flat();
  if (types.includes('boolean')) {
    return {
      ...base,
      kind: 'choice',
      options: [
        [true, 'yes'],
        [false, 'no'],
      ],
    };
  }
  return { ...base, kind: kindOf(name, types), options: [] };
}

function kindOf(name: string, types: readonly string[]): FieldKind {
  if (types.includes('integer') || types.includes('number')) return 'number';
  if (types.includes('array') || types.includes('object')) return 'json';
  return LONG.includes(name) ? 'long' : 'line';
}
