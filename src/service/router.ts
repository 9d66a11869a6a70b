import type { ServerResponse } from 'node:http';
import { type Express, type NextFunction, Router } from 'express';
import type { Config } from '../base/config/config.ts';
import { EmulatorError } from '../base/errors.ts';
import { INBOX_PATH } from '../engine/webhooks/inbox.ts';
import { SERVICE } from './api/routes.ts';
import { HOOKS } from './call-flow.ts';
import { type CdnAnswer, readCdn } from './cdn/read-cdn.ts';
import { seal } from './cdn/reading.ts';
import type { Context } from './http/context.ts';
import { answerError } from './http/error-answer.ts';
import { createExpressApp } from './http/express-app.ts';
import type { Operation } from './http/operation.ts';
import { OperationReader } from './http/operation-reader.ts';
import { answerCors, asksForPage, guardControl, isPage, isPageRead, refuseOtherPages } from './http/origin-check.ts';
import { attachRequestContext, RequestContext, requestContextOf, type ServiceRequest } from './http/request.ts';
import { type Fail, handlerFor } from './http/request-handler.ts';
import { recordRequest } from './http/request-record.ts';
import { isMeantForService, unknownPath } from './unknown-path.ts';

/** The operations that are loaded at the start: a few milliseconds each. */
export const SERVED: readonly Operation[] = [...SERVICE, ...HOOKS];

/** The emulator's own surface, which is loaded when it is first asked for. */
export interface OwnSurface {
  /** The token that it requires, if any. */
  token: string | undefined;
  operations(): Promise<readonly Operation[]>;
  pages(): Promise<Pages>;
}

/** What is served in addition to operations. */
export interface Pages {
  /** Their paths, with which an unknown path is compared. */
  paths: readonly string[];
  mount(router: Router): void;
}

export interface Server {
  app: Express;
  /** Loads the emulator's own surface before the first request for it. */
  load(): Promise<unknown>;
}

/** With the value 1 it asks for the URL of a request's explanation, which the same header of the response has. */
const EXPLAIN = 'svc-emulator-explain';

/** Checks every request, then hands it to the CDN, an operation of the service, or the emulator's own surface. */
export function createApp(context: Context, own: OwnSurface): Server {
  const app = createExpressApp();
  const fail: Fail = (request, response, error) => answerError(context, request, response, error);
  const cdn = cdnOf(context);
  const load = once(() => loadOwn(context, own, fail));
  app.use((request, response, next) => {
    if (admit(context, own.token, request, response)) next();
  });
  app.use((request, response, next) => (isCdn(request.path) ? cdn(request, response) : next()));
  app.use(routesOf(SERVED, context, fail));
  app.use(async (request, response, next) => (await load())(request, response, next));
  app.use((error: unknown, request: ServiceRequest, response: ServerResponse, _next: NextFunction) => {
    fail(request, response, error);
  });
  return { app, load };
}

/** A fixed segment comes before a parameter; other methods of a known path get a 405. */
function routesOf(operations: readonly Operation[], context: Context, fail: Fail): Router {
  const router = Router({ caseSensitive: true });
  const { config } = context;
  const { files } = context.storage;
  const last = (path: string) => path.replaceAll(':', '\uffff');
  const paths = [...new Set(operations.map(({ path }) => path))].sort((a, b) => (last(a) < last(b) ? -1 : 1));
  for (const path of paths) {
    const route = router.route(path);
    const served = operations.filter((operation) => operation.path === path);
    for (const operation of served) {
      const reader = new OperationReader(operation, { config, files });
      route[methodOf(operation)](handlerFor(operation, { context, fail, reader }));
    }
    route.all(({ method }) => {
      throw wrongMethod(
        method,
        path,
        served.map((operation) => operation.method),
      );
    });
  }
  return router;
}

function methodOf({ method }: Operation) {
  return method.toLowerCase() as Lowercase<Operation['method']>;
}

async function loadOwn(context: Context, own: OwnSurface, fail: Fail): Promise<Router> {
  const [operations, pages] = await Promise.all([own.operations(), own.pages()]);
  const router = Router({ caseSensitive: true });
  const known = [...new Set([...SERVED, ...operations].map(({ path }) => path)), ...pages.paths];
  router.use(routesOf(operations, context, fail));
  pages.mount(router);
  router.use((request, response) => {
    const { path } = request;
    // A path that lacks only its /v1 is recorded as a request to the service.
    if (!path.startsWith('/v1/') && isMeantForService(path, known)) recordRequest(context, request, response);
    throw unknownPath(path, known);
  });
  return router;
}

/** Creates the request context, and checks Host and origin. Returns whether the request goes on; throws the error to answer. */
function admit(
  context: Context,
  token: string | undefined,
  request: ServiceRequest,
  response: ServerResponse,
): boolean {
  const { accounts, clock, random, config } = context;
  const { journal } = context.records;
  const { hosts, rateLimit } = context.control;
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
  if (isRecorded) recordRequest(context, request, response);
  // Setting a header on the response costs more than collecting it; only the service always sends the collected ones.
  if (isService && !request.headers.origin) requestContext.setHeader('x-request-id', requestContext.requestId);
  else response.setHeader('x-request-id', requestContext.requestId);
  requestContext.baseUrl = hosts.baseUrl(request.headers.host ?? addressOf(request));
  if (isRecorded && request.headers[EXPLAIN] === '1') offerExplanation(requestContext);
  if ((isService || isFile) && answerCors(config, request, response)) return false;
  // What is left of the limit of a valid key is shown even where no key is needed.
  if (isService) rateLimit?.show(accounts.keys.find(request.headers.authorization)?.keyId, response);
  if (!isRecorded) guardOwn(context, token, request, response);
  return true;
}

/** Guards the emulator's own surface, and publishes its changes to open pages. */
function guardOwn(
  context: Context,
  ownToken: string | undefined,
  request: ServiceRequest,
  response: ServerResponse,
): void {
  const { path, method } = request;
  const { config } = context;
  if (isPage(path)) guard(request, config, tokenForPage(request, ownToken));
  if (!path.startsWith('/_emulator')) return;
  guard(request, config, tokenFor(path, ownToken));
  const isRead = method === 'GET' || method === 'HEAD';
  if (!isRead || path.startsWith(`${INBOX_PATH}/`)) refuseOtherPages(request);
  if (!isRead) recordChange(context, request, response);
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
function once<Loaded>(load: () => Promise<Loaded>): () => Promise<Loaded> {
  let loading: Promise<Loaded> | undefined;
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}

function wrongMethod(method: string, path: string, methods: string[]): EmulatorError {
  const allowed = methods.includes('GET') ? [...methods, 'HEAD'] : methods;
  return new EmulatorError('method_not_allowed', `${method} is not a method of ${path}; use ${methods.join(' or ')}.`, {
    headers: { allow: allowed.join(', ') },
  });
}
