import { CONTROL_OPERATIONS } from '../../../src/control/control-routes.ts';
import type { RecordedExample } from '../../../src/control/openapi/openapi-document.ts';
import { SERVICE_OPERATIONS } from '../../../src/service/api/routes.ts';
import type { World } from '../../support/world.ts';

/** Fixed values for fields that differ between runs. */
const STEADY: Record<string, unknown> = {
  duration_ms: 4,
  started_at: '2035-01-05T09:00:00.000Z',
  began: 2_051_600_400_000,
  version: '0.1.0',
  request_id: 'req_895d01a4b5fb000000f',
};

/** Calls operations by name, and records requests and responses. */
export class ExampleRecorder {
  readonly examples: Record<string, RecordedExample> = {};
  readonly #world: World;
  key = '';

  constructor(world: World) {
    this.#world = world;
  }

  /** `names` fill the parameters of the path. The others become the query. */
  async call<Answer = Record<string, string>>(
    name: string,
    { path: names = {}, body }: { path?: Record<string, string>; body?: unknown } = {},
  ): Promise<Answer> {
    const operation = [...SERVICE_OPERATIONS, ...CONTROL_OPERATIONS].find((each) => each.name === name);
    if (!operation) throw new Error(`there is no operation ${name}`);
    const path = operation.path.replaceAll(/:(\w+)/g, (_, field: string) => names[field] ?? '');
    const query = Object.entries(names).filter(([field]) => !operation.path.includes(`:${field}`));
    const text = query.length === 0 ? '' : `?${new URLSearchParams(query)}`;
    const headers = { authorization: `Bearer ${this.key}` };
    const { status, body: answer } = await this.#world.call(operation.method, path + text, body, headers);
    if (status >= 400) throw new Error(`${name}: ${status} ${JSON.stringify(answer)}`);
    const { answers = {} } = this.examples[name] ?? {};
    const request = body === undefined || body instanceof FormData ? {} : { request: body };
    if (answer !== undefined) answers[status] ??= steady(answer);
    this.examples[name] ??= { ...request, answers };
    return answer as Answer;
  }
}

/** Replaces the fields of `STEADY` by their fixed values. */
function steady(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(steady);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name,
      STEADY[name] !== undefined && field !== null ? STEADY[name] : steady(field),
    ]),
  );
}
