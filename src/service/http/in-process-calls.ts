import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { EmulatorError } from '../../base/errors.ts';
import type { Context } from './context.ts';
import { InputReader } from './input.ts';
import type { Operation } from './operation.ts';
import { type FoundPath, PathTable } from './path-table.ts';
import { Bytes, Download, LongList } from './replies.ts';
import { attachRequestContext, Call, type CalledRequest, RequestContext } from './request.ts';
import { NoContent } from './send.ts';

/** The fields of a query; those that are undefined are left out. */
type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * Calls an operation by its method and path; resolves with its answer: JSON, a text, or undefined for an empty one.
 * Rejects with an `EmulatorError`.
 */
export type InProcessCall = (
  method: string,
  path: string,
  input?: { query?: Query | undefined; body?: unknown },
) => Promise<unknown>;

interface Route {
  operation: Operation;
  query: InputReader | undefined;
  body: InputReader | undefined;
}

/**
 * Operations for callers in the same process: as over a connection, without the cost of one. Calls pass the barrier and
 * the validation, and are not written to the record of what was changed.
 */
export function inProcessCalls(table: InProcessTable, context: Context, baseUrl: string): InProcessCall {
  // A request without a connection that could be lost.
  const socket = new Socket();
  return async (method, path, { query = {}, body } = {}) => {
    const found = await table.find(path);
    const route = found?.value.get(method);
    if (!found || !route) throw new EmulatorError('not_found', `There is no ${method} ${path}.`);
    const input = { query: route.query?.readKnown(texts(query)), body: route.body?.readKnown(body ?? {}) };
    const request = Object.assign(new IncomingMessage(socket), { params: found.params, get: () => undefined });
    return answerOf(route.operation, { ...input, file: undefined }, { context, baseUrl, request });
  };
}

/** The routes of the operations with the readers of their input: the same for all emulators of a process. */
export class InProcessTable {
  readonly #load: () => Promise<readonly Operation[]>;
  #table: PathTable<Map<string, Route>> | undefined;

  constructor(load: () => Promise<readonly Operation[]>) {
    this.#load = load;
  }

  /** The table is made by the first call: most processes make none. */
  async find(path: string): Promise<FoundPath<Map<string, Route>> | undefined> {
    this.#table ??= tableOf(await this.#load());
    return this.#table.find(path);
  }
}

function tableOf(operations: readonly Operation[]): PathTable<Map<string, Route>> {
  const table = new PathTable<Map<string, Route>>();
  const byPath = new Map<string, Map<string, Route>>();
  for (const operation of operations) {
    const { path, method } = operation;
    const routes = byPath.get(path) ?? new Map<string, Route>();
    byPath.set(path, routes.set(method, routeOf(operation)));
  }
  for (const [path, routes] of byPath) table.add(path, routes);
  return table;
}

function routeOf(operation: Operation): Route {
  const { query, body } = operation;
  return { operation, query: query && new InputReader(query), body: body && new InputReader(body) };
}

/** The values as a query has them. */
function texts(query: Query): Record<string, string> {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}

async function answerOf(
  operation: Operation,
  input: { query: unknown; body: unknown; file: undefined },
  { context, baseUrl, request }: { context: Context; baseUrl: string; request: CalledRequest },
): Promise<unknown> {
  const { barrier, clock, random, journal } = context;
  const generation = await barrier.admission();
  const response = new ServerResponse(request);
  const times = { received: clock.now(), began: clock.real(), generation: journal.generation };
  const requestContext = new RequestContext(random.requestIds.next(), times);
  requestContext.baseUrl = baseUrl;
  attachRequestContext(response, requestContext);
  const call = new Call(input, context, request, response);
  const holder = barrier.enter(call, generation);
  try {
    const answer = await operation.handle(call);
    if (answer instanceof Bytes) return answer.body.toString();
    if (answer instanceof Download) return await text(answer.body);
    if (answer instanceof LongList) return await answer.whole();
    return answer instanceof NoContent ? undefined : answer;
  } finally {
    barrier.leave(holder);
  }
}
