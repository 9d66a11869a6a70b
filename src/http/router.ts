import { EmulatorError } from '../errors.ts';
import type { Context } from './context.ts';
import type { Operation } from './operation.ts';
import { OperationReader, type ReaderParts } from './operation-reader.ts';
import { BodyBufferPool } from './read-bytes.ts';
import type { ServiceRequest } from './request-context.ts';
import { type Fail, type Handler, handlerFor } from './request-handler.ts';

/** The operations of one path, by method. */
interface Route {
  path: string;
  methods: string[];
  handlers: Map<string, Handler>;
}

/** All operations by path and method. Requests reach them without passing the layers of the framework. */
export class Router {
  readonly #table = new PathTable<Route>();
  readonly #routes = new Map<string, Route>();
  readonly #context: Context;
  readonly #fail: Fail;
  readonly #readerParts: ReaderParts;

  constructor(operations: readonly Operation[], context: Context, fail: Fail) {
    const { config, files, clock } = context;
    this.#context = context;
    this.#fail = fail;
    this.#readerParts = { config, files, buffers: new BodyBufferPool(clock) };
    this.add(operations);
  }

  get paths(): readonly string[] {
    return [...this.#routes.keys()];
  }

  /** Adds operations at paths of their own. */
  add(operations: readonly Operation[]): void {
    for (const operation of operations) {
      const { path, method } = operation;
      const route = this.#routes.get(path) ?? this.#newRoute(path);
      route.methods.push(method);
      const reader = new OperationReader(operation, this.#readerParts);
      route.handlers.set(method, handlerFor(operation, { context: this.#context, fail: this.#fail, reader }));
    }
  }

  /**
   * The handler of a request; undefined where its path is no operation's. Throws `method_not_allowed`, and a `URIError`
   * for a path that cannot be decoded.
   */
  handlerOf(request: ServiceRequest): Handler | undefined {
    const found = this.#table.find(request.path);
    if (!found) return undefined;
    request.params = found.params;
    const { path, methods, handlers } = found.value;
    const { method } = request;
    const handle = handlers.get(method) ?? (method === 'HEAD' ? handlers.get('GET') : undefined);
    if (!handle) throw wrongMethod(method, path, methods);
    return handle;
  }

  #newRoute(path: string): Route {
    const route: Route = { path, methods: [], handlers: new Map() };
    this.#routes.set(path, route);
    this.#table.add(path, route);
    return route;
  }
}

/** The value of a path, and the values of its parameters. */
export interface FoundPath<Value> {
  value: Value;
  params: Readonly<Record<string, string>>;
}

interface Branch<Value> {
  /** By the next segment of the path. */
  named: Map<string, Branch<Value>>;
  /** For a parameter, which any segment fits. */
  any: Branch<Value> | undefined;
  end: { value: Value; names: readonly string[] } | undefined;
}

const NO_PARAMS: Readonly<Record<string, string>> = {};

/**
 * Paths such as `/v1/jobs/:id`, found without trying one after another. They are compared as the framework does: by
 * case, a slash at the end is ignored, a named segment goes before a parameter, and no parameter is empty.
 */
export class PathTable<Value> {
  /** Paths without parameters, which most requests ask for. */
  readonly #plain = new Map<string, FoundPath<Value>>();
  readonly #root: Branch<Value> = branch();

  add(path: string, value: Value): void {
    if (path.includes(':')) this.#grow(path, value);
    else this.#plain.set(path, { value, params: NO_PARAMS });
  }

  /** Throws a `URIError` for a parameter that is not percent-encoded UTF-8. */
  find(asked: string): FoundPath<Value> | undefined {
    const path = asked.length > 1 && asked.endsWith('/') ? asked.slice(0, -1) : asked;
    const plain = this.#plain.get(path);
    if (plain) return plain;
    const values: string[] = [];
    const end = endOf(this.#root, path.split('/'), { at: 1, values });
    if (!end) return undefined;
    return { value: end.value, params: Object.fromEntries(end.names.map((name, at) => [name, decoded(values[at])])) };
  }

  #grow(path: string, value: Value): void {
    const names: string[] = [];
    let at = this.#root;
    for (const segment of path.split('/').slice(1)) {
      const isParam = segment.startsWith(':');
      if (isParam) names.push(segment.slice(1));
      const next = (isParam ? at.any : at.named.get(segment)) ?? branch<Value>();
      if (isParam) at.any = next;
      else at.named.set(segment, next);
      at = next;
    }
    at.end = { value, names };
  }
}

function branch<Value>(): Branch<Value> {
  return { named: new Map(), any: undefined, end: undefined };
}

/** `values` collects what the parameters matched. */
function endOf<Value>(
  from: Branch<Value>,
  segments: readonly string[],
  { at, values }: { at: number; values: string[] },
): Branch<Value>['end'] {
  const segment = segments[at];
  if (segment === undefined) return from.end;
  const next = from.named.get(segment);
  const found = next && endOf(next, segments, { at: at + 1, values });
  if (found || !from.any || segment === '') return found;
  const before = values.length;
  values.push(segment);
  const end = endOf(from.any, segments, { at: at + 1, values });
  if (!end) values.length = before;
  return end;
}

function decoded(value = ''): string {
  return value.includes('%') ? decodeURIComponent(value) : value;
}

function wrongMethod(method: string, path: string, methods: string[]): EmulatorError {
  const allowed = methods.includes('GET') ? [...methods, 'HEAD'] : methods;
  return new EmulatorError('method_not_allowed', `${method} is not a method of ${path}; use ${methods.join(' or ')}.`, {
    headers: { allow: allowed.join(', ') },
  });
}
