import type { ServerResponse } from 'node:http';
import type { Config } from '../base/config/config.ts';
import { EmulatorError } from '../base/errors.ts';
import { INBOX_PATH } from '../engine/webhooks/inbox.ts';
import { SERVICE } from './api/routes.ts';
import { HOOKS } from './call-flow.ts';
import { type CdnAnswer, readCdn } from './cdn/read-cdn.ts';
import { seal } from './cdn/reading.ts';
import type { Pages } from './express-fallback.ts';
import type { Context } from './http/context.ts';
import { answerError } from './http/error-answer.ts';
import type { Operation } from './http/operation.ts';
import { OperationReader, type ReaderParts } from './http/operation-reader.ts';
import { answerCors, asksForPage, guardControl, isPage, isPageRead, refuseOtherPages } from './http/origin-check.ts';
import { PathTable } from './http/path-table.ts';
import { attachRequestContext, RequestContext, requestContextOf, type ServiceRequest } from './http/request.ts';
import { type Fail, type Handler, handlerFor } from './http/request-handler.ts';
import { recordRequest } from './http/request-record.ts';
import type { AnswerRequest } from './http/server.ts';

/** The operations that are loaded at the start: a few milliseconds each. */
export const SERVED: readonly Operation[] = [...SERVICE, ...HOOKS];

/** What the emulator serves beside the service, each part loaded when it is first asked for. */
export interface OwnSurface {
  /** The token that it requires, if any. */
  token: string | undefined;
  operations(): Promise<readonly Operation[]>;
  pages(): Promise<Pages>;
}

/** With the value 1 it asks for the URL of a request's explanation, which the same header of the answer has. */
const EXPLAIN = 'svc-emulator-explain';

/**
 * Checks every request and hands it to what answers it: the CDN, an operation of the service or of the hooks, or what is
 * loaded when it is first asked for, the operations of the control surface and the layers of the framework.
 */
export class RequestRouter {
  readonly #context: Context;
  readonly #own: OwnSurface;
  readonly #operations: Router;
  readonly #cdn: CdnAnswer;
  readonly #fail: (request: ServiceRequest, response: ServerResponse, error: unknown) => void;
  #hasControl = false;
  #layers: AnswerRequest | undefined;

  constructor(context: Context, own: OwnSurface) {
    this.#context = context;
    this.#own = own;
    this.#fail = (request, response, error) => answerError(context, request, response, error);
    this.#operations = new Router(SERVED, context, this.#fail);
    this.#cdn = cdnOf(context);
  }

  readonly answer: AnswerRequest = (request, response) => {
    try {
      if (this.#admit(request, response)) this.#serve(request, response);
    } catch (error) {
      this.#fail(request, response, error);
    }
  };

  /** Loads what no first request shall wait for. */
  async load(): Promise<void> {
    await this.#loadControl();
    await this.#loadLayers();
  }

  readonly #loadControl = once(async () => {
    this.#operations.add(await this.#own.operations());
    this.#hasControl = true;
  });

  readonly #loadLayers = once(async () => {
    const [{ createExpressFallback }, pages] = await Promise.all([import('./express-fallback.ts'), this.#own.pages()]);
    this.#layers = createExpressFallback(this.#context, pages, () => this.#operations.paths);
  });

  /** Creates the request context, and checks Host and origin. Returns whether the request goes on; throws the error to answer. */
  #admit(request: ServiceRequest, response: ServerResponse): boolean {
    const { accounts, clock, random, config } = this.#context;
    const { journal } = this.#context.records;
    const { hosts, rateLimit } = this.#context.control;
    const times = { received: clock.now(), began: clock.real(), generation: journal.generation };
    const requestContext = new RequestContext(random.requestIds.next(), times);
    attachRequestContext(response, requestContext);
    // As the router reads it: the target of a request may be a whole URL.
    const { path } = request;
    const isService = path.startsWith('/v1/');
    const isRecorded = isService || path.startsWith('/hooks/');
    const isFile = isCdn(path);
    if (isFile) seal(response);
    requestContext.isPageRead = isPageRead(request, config.publicUrl);
    if (isRecorded) recordRequest(this.#context, request, response);
    // Setting a header on the response costs more than collecting it; only the service always sends the collected ones.
    if (isService && !request.headers.origin) requestContext.setHeader('x-request-id', requestContext.requestId);
    else response.setHeader('x-request-id', requestContext.requestId);
    requestContext.baseUrl = hosts.baseUrl(request.headers.host ?? addressOf(request));
    if (isRecorded && request.headers[EXPLAIN] === '1') offerExplanation(requestContext);
    if ((isService || isFile) && answerCors(config, request, response)) return false;
    // What is left of the limit of a valid key is shown even where no key is needed.
    if (isService) rateLimit?.show(accounts.keys.find(request.headers.authorization)?.keyId, response);
    if (!isRecorded) this.#guardOwn(request, response);
    return true;
  }

  /** Guards the emulator's own surface, and publishes its changes to open pages. */
  #guardOwn(request: ServiceRequest, response: ServerResponse): void {
    const { path, method } = request;
    const { config } = this.#context;
    if (isPage(path)) guard(request, config, tokenForPage(request, this.#own.token));
    if (!path.startsWith('/_emulator')) return;
    guard(request, config, tokenFor(path, this.#own.token));
    const isRead = method === 'GET' || method === 'HEAD';
    if (!isRead || path.startsWith(`${INBOX_PATH}/`)) refuseOtherPages(request);
    if (!isRead) recordChange(this.#context, request, response);
  }

  #serve(request: ServiceRequest, response: ServerResponse): void {
    if (isCdn(request.path)) {
      this.#wait(this.#cdn(request, response), request, response);
      return;
    }
    const handle = this.#operations.handlerOf(request);
    if (handle) void handle(request, response);
    else if (this.#hasControl && this.#layers) this.#layers(request, response);
    else {
      const loaded = this.#hasControl ? this.#loadLayers() : this.#loadControl();
      this.#wait(
        loaded.then(() => this.#serve(request, response)),
        request,
        response,
      );
    }
  }

  #wait(work: Promise<void>, request: ServiceRequest, response: ServerResponse): void {
    work.catch((error: unknown) => this.#fail(request, response, error));
  }
}

function cdnOf({ storage: { served, files }, generation: { jobs }, ...context }: Context): CdnAnswer {
  const { audit } = context.records;
  const { faults, violations } = context.failures;
  const { barrier } = context.control;
  return readCdn({ served, files, jobs, audit, faults, violations, barrier });
}

function isCdn(path: string): boolean {
  return path === '/cdn' || path.startsWith('/cdn/');
}

/** The address that a health probe of HTTP/1.0 connected to, which has no Host; later versions require one. */
function addressOf({ httpVersion, socket }: ServiceRequest): string {
  const { localAddress = '', localPort } = socket;
  if (httpVersion !== '1.0') return '';
  const address = localAddress.replace(/^::ffff:/, '');
  return `${address.includes(':') ? `[${address}]` : address}:${localPort}`;
}

function offerExplanation(requestContext: RequestContext): void {
  requestContext.setHeader(EXPLAIN, `${requestContext.baseUrl}/_emulator/explain/${requestContext.requestId}`);
}

/** Records a change, and publishes the resource that changed to open pages: `accounts`, `clock`, `faults`. */
function recordChange({ records: { live, audit } }: Context, request: ServiceRequest, response: ServerResponse): void {
  const { path, method, originalUrl: url } = request;
  response.once('close', () => {
    const { statusCode: status, writableFinished } = response;
    const { body, answer, facts } = requestContextOf(response);
    const { accountId, ref } = facts;
    audit.controlCalled({ method, url, status, cut: !writableFinished, body, answer, accountId, ref });
    if (status < 400) live.publishChange(path.split('/')[2] ?? '');
  });
}

/** An inbox takes the token from its URL too: no sender of webhooks has a header for it. */
function guard(request: ServiceRequest, { publicUrl }: Config, token: string | undefined): void {
  const asked = request.path.startsWith(`${INBOX_PATH}/`) ? request.query.token : undefined;
  guardControl(request, { publicUrl, token, given: typeof asked === 'string' ? asked : undefined });
}

function tokenFor(path: string, token: string | undefined): string | undefined {
  return /^\/_emulator\/(?:health|ready)\/?$/.test(path) ? undefined : token;
}

/** The scripts of the dashboard hold no data, and ask for the token themselves. */
function tokenForPage(request: ServiceRequest, token: string | undefined): string | undefined {
  const isProgram = request.path.startsWith('/dashboard/assets/');
  return isProgram || asksForPage(request) ? undefined : token;
}

/** Calls `load` once; a call that failed is repeated by the next. */
function once(load: () => Promise<void>): () => Promise<void> {
  let loading: Promise<void> | undefined;
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}

/** The operations of one path, by method. */
interface Route {
  path: string;
  methods: string[];
  handlers: Map<string, Handler>;
}

/** All operations by path and method. Requests reach them without passing the layers of the framework. */
class Router {
  readonly #table = new PathTable<Route>();
  readonly #routes = new Map<string, Route>();
  readonly #context: Context;
  readonly #fail: Fail;
  readonly #readerParts: ReaderParts;

  constructor(operations: readonly Operation[], context: Context, fail: Fail) {
    const { config } = context;
    const { files } = context.storage;
    this.#context = context;
    this.#fail = fail;
    this.#readerParts = { config, files };
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
    const found = this.#table.plain.get(request.path) ?? this.#table.find(request.path);
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

function wrongMethod(method: string, path: string, methods: string[]): EmulatorError {
  const allowed = methods.includes('GET') ? [...methods, 'HEAD'] : methods;
  return new EmulatorError('method_not_allowed', `${method} is not a method of ${path}; use ${methods.join(' or ')}.`, {
    headers: { allow: allowed.join(', ') },
  });
}
