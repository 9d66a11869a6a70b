import type { ServerResponse } from 'node:http';
import { type Express, type NextFunction, Router } from 'express';
import { HOOKS, SERVICE } from './api/routes.ts';
import { type CdnAnswer, readCdn } from './cdn/read-cdn.ts';
import { seal } from './cdn/reading.ts';
import { answerCors, isPageRead } from './http/access.ts';
import { answerError, type Fail } from './http/answer-error.ts';
import type { Context } from './http/context.ts';
import { guardOwn } from './http/control-guard.ts';
import type { Operation } from './http/operation.ts';
import { OperationReader } from './http/operation-reader.ts';
import { attachRequestContext, RequestContext, type ServiceRequest } from './http/request.ts';
import { handlerFor } from './http/request-handler.ts';
import { recordRequest } from './http/request-record.ts';
import { createExpressApp } from './http/server.ts';
import { isMeantForService, unknownPath, wrongMethod } from './unknown-path.ts';

/** Loaded at the start, which takes a few milliseconds. */
export const SERVED: readonly Operation[] = [...SERVICE, ...HOOKS];

/** Loaded at the first request for it. */
export interface OwnSurface {
  token: string | undefined;
  operations(): Promise<readonly Operation[]>;
  pages(): Promise<Pages>;
}

interface Pages {
  paths: readonly string[];
  mount(router: Router): void;
}

export interface Server {
  app: Express;
  load(): Promise<unknown>;
}

/** With the value 1, the response has the URL of the request's explanation in the same header. */
const EXPLAIN = 'svc-emulator-explain';

export function createApp(context: Context, own: OwnSurface): Server {
  const app = createExpressApp();
  const fail: Fail = (request, response, error) => answerError(context, request, response, error);
  const cdn = cdnOf(context);
  const load = once(() => loadOwn(context, own, fail));
  app.use((request, response, next) => {
    if (!admit(context, own.token, request, response)) return undefined;
    return isCdn(request.path) ? cdn(request, response) : next();
  });
  addRoutes(app, SERVED, { context, fail });
  app.use(async (request, response, next) => (await load())(request, response, next));
  app.use((error: unknown, request: ServiceRequest, response: ServerResponse, _next: NextFunction) => {
    fail(request, response, error);
  });
  return { app, load };
}

/** Fixed segments come before parameters. Other methods of a known path return 405. */
function addRoutes(
  router: Router,
  operations: readonly Operation[],
  { context, fail }: { context: Context; fail: Fail },
): void {
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
}

function methodOf({ method }: Operation) {
  return method.toLowerCase() as Lowercase<Operation['method']>;
}

async function loadOwn(context: Context, own: OwnSurface, fail: Fail): Promise<Router> {
  const [operations, pages] = await Promise.all([own.operations(), own.pages()]);
  const router = Router({ caseSensitive: true });
  const known = [...new Set([...SERVED, ...operations].map(({ path }) => path)), ...pages.paths];
  addRoutes(router, operations, { context, fail });
  pages.mount(router);
  router.use((request, response) => {
    const { path } = request;
    // A path that only lacks /v1 is recorded as a request to the service.
    if (!path.startsWith('/v1/') && isMeantForService(path, known)) recordRequest(context, request, response);
    throw unknownPath(path, known);
  });
  return router;
}

/** Checks Host and origin. Returns false if the response is sent; throws the error to return. */
function admit(
  context: Context,
  token: string | undefined,
  request: ServiceRequest,
  response: ServerResponse,
): boolean {
  const { accounts, clock, random, config } = context;
  const { journal } = context.records;
  const { hosts, rateLimit } = context.control;
  const times = { received: clock.now(), began: clock.real(), generation: journal.writer.generation };
  const requestContext = new RequestContext(random.requestIds.next(), times);
  attachRequestContext(response, requestContext);
  // The target of a request may be a whole URL.
  const { path } = request;
  const isService = path.startsWith('/v1/');
  const isRecorded = isService || path.startsWith('/hooks/');
  const isFile = isCdn(path);
  if (isFile) seal(response);
  requestContext.isPageRead = isPageRead(request, config.publicUrl);
  if (isRecorded) recordRequest(context, request, response);
  // Collecting a header is cheaper than setting it, but only the service sends collected headers.
  if (isService && !request.headers.origin) requestContext.setHeader('x-request-id', requestContext.requestId);
  else response.setHeader('x-request-id', requestContext.requestId);
  requestContext.baseUrl = hosts.baseUrl(request.headers.host ?? addressOf(request));
  if (isRecorded && request.headers[EXPLAIN] === '1') offerExplanation(requestContext);
  if ((isService || isFile) && answerCors(config, request, response)) return false;
  // The limit of a valid key is shown even if the operation needs no key.
  if (isService) rateLimit?.show(accounts.keys.find(request.headers.authorization)?.keyId, response);
  if (!isRecorded) guardOwn(context, token, request, response);
  return true;
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

/** Health probes with HTTP/1.0 send no Host. */
function addressOf({ httpVersion, socket }: ServiceRequest): string {
  const { localAddress = '', localPort } = socket;
  if (httpVersion !== '1.0') return '';
  const address = localAddress.replace(/^::ffff:/, '');
  return `${address.includes(':') ? `[${address}]` : address}:${localPort}`;
}

function offerExplanation(requestContext: RequestContext): void {
  requestContext.setHeader(EXPLAIN, `${requestContext.baseUrl}/_emulator/explain/${requestContext.requestId}`);
}

/** The next call repeats one that failed. */
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
