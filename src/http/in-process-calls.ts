import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { EmulatorError } from '../errors.ts';
import { Call, type CalledRequest } from './call.ts';
import type { Context } from './context.ts';
import { InputReader } from './input.ts';
import type { Operation } from './operation.ts';
import { type FoundPath, PathTable } from './path-table.ts';
import { Bytes, Download, NoContent } from './reply.ts';
import { attachRequestContext, RequestContext } from './request-context.ts';

/** What is asked of an operation, as a request would say it. */
export interface NearOrder {
  query?: Readonly<Record<string, string | number | undefined>> | undefined;
  body?: unknown;
}

/** Calls an operation by its method and path; resolves with what its answer says. Rejects with an `EmulatorError`. */
export type InProcessCall = (method: string, path: string, order?: NearOrder) => Promise<unknown>;

interface Place {
  operation: Operation;
  query: InputReader | undefined;
  body: InputReader | undefined;
}

/**
 * Operations for whoever is in the same process: as over a connection, but for what that costs. They pass the gate and the
 * validation, and leave no trace in the record of what was done.
 */
export function inProcessCalls(table: InProcessTable, context: Context, baseUrl: string): InProcessCall {
  // A request that nobody sent: there is no connection to be lost.
  const socket = new Socket();
  return async (method, path, { query = {}, body } = {}) => {
    const found = await table.find(path);
    const place = found?.place.get(method);
    if (!found || !place) throw new EmulatorError('not_found', `There is no ${method} ${path}.`);
    const input = { query: place.query?.readKnown(texts(query)), body: place.body?.readKnown(body ?? {}) };
    const request = Object.assign(new IncomingMessage(socket), { params: found.params, get: () => undefined });
    return carriedOut(place.operation, { ...input, file: undefined }, { context, baseUrl, request });
  };
}

/** Where operations are found, and how what is asked of them is read: the same for all emulators of a process. */
export class InProcessTable {
  readonly #load: () => Promise<readonly Operation[]>;
  #laid: PathTable<Map<string, Place>> | undefined;

  constructor(load: () => Promise<readonly Operation[]>) {
    this.#load = load;
  }

  /** Laid at the first call: most processes make none. */
  async find(path: string): Promise<FoundPath<Map<string, Place>> | undefined> {
    this.#laid ??= tableOf(await this.#load());
    return this.#laid.find(path);
  }
}

function tableOf(operations: readonly Operation[]): PathTable<Map<string, Place>> {
  const table = new PathTable<Map<string, Place>>();
  const places = new Map<string, Map<string, Place>>();
  for (const operation of operations) {
    const { path, method, query, body } = operation;
    const methods = places.get(path) ?? new Map<string, Place>();
    places.set(path, methods);
    methods.set(method, {
      operation,
      query: query && new InputReader(query),
      body: body && new InputReader(body),
    });
  }
  for (const [path, methods] of places) table.add(path, methods);
  return table;
}

/** As a query has them. */
function texts(query: NonNullable<NearOrder['query']>): Record<string, string> {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}

async function carriedOut(
  operation: Operation,
  input: { query: unknown; body: unknown; file: undefined },
  { context, baseUrl, request }: { context: Context; baseUrl: string; request: CalledRequest },
): Promise<unknown> {
  const { barrier, clock, random, journal } = context;
  const epoch = await barrier.passage();
  const response = new ServerResponse(request);
  const times = { received: clock.now(), began: clock.real(), volume: journal.volume };
  const requestContext = new RequestContext(random.requestId(), times);
  requestContext.baseUrl = baseUrl;
  attachRequestContext(response, requestContext);
  const call = new Call(input, context, request, response);
  const place = barrier.enter(call, epoch);
  try {
    const answer = await operation.handle(call);
    if (answer instanceof Bytes) return answer.body.toString();
    if (answer instanceof Download) return await text(answer.body);
    return answer instanceof NoContent ? undefined : answer;
  } finally {
    barrier.leave(place);
  }
}
