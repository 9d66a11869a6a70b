import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type Express, type NextFunction, type RequestHandler, Router } from 'express';
import { EmulatorError } from '../base/errors.ts';
import { joinedWithOr } from '../base/text.ts';
import { FLOW_HOOK_OPERATIONS, SERVICE_OPERATIONS } from './api/routes.ts';
import { type CdnHandler, createCdnHandler } from './cdn/cdn-handler.ts';
import { setSecurityHeaders } from './cdn/cdn-read.ts';
import { handleCors, isReadByOwnPage } from './http/access.ts';
import type { Context } from './http/context.ts';
import { guardControl } from './http/control-guard.ts';
import type { Operation } from './http/operation.ts';
import { attachRequestContext, type HttpRequest, RequestContext, requestContextOf } from './http/request.ts';
import { createRequestHandler } from './http/request-handler.ts';
import { recordRequest } from './http/request-record.ts';
import { type ErrorSender, logAndSendError } from './http/send.ts';
import { createExpressApp } from './http/server.ts';
import { formatPathTemplate, isMeantForService, unknownPathError } from './unknown-path.ts';

export const SERVICE_AND_HOOK_OPERATIONS: readonly Operation[] = [...SERVICE_OPERATIONS, ...FLOW_HOOK_OPERATIONS];

export interface EmulatorAppParts {
  token: string | undefined;
  operations(): Promise<readonly Operation[]>;
  pages(): Promise<Pages>;
}

interface Pages {
  paths: readonly string[];
  mount(router: Router): void;
}

export interface LoadableApp {
  app: Express;
  load(): Promise<unknown>;
}

/** A header by which a client asks for the URL of the explanation, which the response has in the same header. */
const EXPLAIN = 'svc-emulator-explain';

export function createApp(context: Context, own: EmulatorAppParts): LoadableApp {
  const app = createExpressApp();
  const fail: ErrorSender = (request, response, error) => logAndSendError(context, request, response, error);
  const cdn = cdnOf(context);
  const load = remembered(() => loadOwn(context, own, fail));
  const serveOwn: RequestHandler = async (request, response, next) => (await load())(request, response, next);
  app.use((request, response, next) => {
    const begin = () => {
      if (!beginRequest(context, own.token, request, response)) return undefined;
      if (isCdn(request.path)) return cdn(request, response);
      // Skips the routes of the service, which have none of these paths.
      return request.path.startsWith('/_emulator/') ? serveOwn(request, response, next) : next();
    };
    // A pipelined request waits for its socket until the previous response has been sent, so that it sees the changes of
    // that request.
    return response.socket ? begin() : once(response, 'socket').then(begin);
  });
  addRoutes(app, SERVICE_AND_HOOK_OPERATIONS, { context, fail });
  app.use(serveOwn);
  app.use((error: unknown, request: HttpRequest, response: ServerResponse, _next: NextFunction) => {
    fail(request, response, error);
  });
  return { app, load };
}

function addRoutes(
  router: Router,
  operations: readonly Operation[],
  { context, fail }: { context: Context; fail: ErrorSender },
): void {
  const parameters = (path: string) => path.split(':').length;
  const paths = [...new Set(operations.map(({ path }) => path))].sort((a, b) => parameters(a) - parameters(b));
  for (const path of paths) {
    const route = router.route(path);
    const served = operations.filter((operation) => operation.path === path);
    for (const operation of served) {
      route[operation.method.toLowerCase() as Lowercase<Operation['method']>](
        createRequestHandler(operation, { context, fail }),
      );
    }
    route.all((request, response) => {
      nameCaller(context, request, response);
      throw wrongMethod(
        request.method,
        path,
        served.map((operation) => operation.method),
      );
    });
  }
}

/** Lets the journal show whose request it was, although no operation has read its key. */
function nameCaller({ accounts }: Context, { headers }: HttpRequest, response: ServerResponse): void {
  requestContextOf(response).caller = accounts.keys.find(headers.authorization);
}

async function loadOwn(context: Context, own: EmulatorAppParts, fail: ErrorSender): Promise<Router> {
  const [operations, pages] = await Promise.all([own.operations(), own.pages()]);
  const router = Router({ caseSensitive: true });
  const known = [...new Set([...SERVICE_AND_HOOK_OPERATIONS, ...operations].map(({ path }) => path)), ...pages.paths];
  addRoutes(router, operations, { context, fail });
  pages.mount(router);
  router.use((request, response) => {
    const { path } = request;
    // A path of the service that lacks /v1 or has a doubled slash is recorded too.
    if (!path.startsWith('/v1/') && isMeantForService(path, known)) recordRequest(context, request, response);
    nameCaller(context, request, response);
    throw unknownPathError(path, known);
  });
  return router;
}

/** Returns false if the response was sent. */
function beginRequest(
  context: Context,
  token: string | undefined,
  request: HttpRequest,
  response: ServerResponse,
): boolean {
  const { accounts, clock, random, config } = context;
  const { journal } = context.records;
  const { hosts, rateLimit } = context.control;
  const times = { received: clock.now(), began: clock.real(), journalEpoch: journal.epoch };
  const requestContext = new RequestContext(random.requestIds.next(), times);
  attachRequestContext(response, requestContext);
  // The path alone, because the target of a request may be a whole URL.
  const { path } = request;
  const isService = path.startsWith('/v1/');
  const isRecorded = isService || path.startsWith('/hooks/');
  const isFile = isCdn(path);
  const isControl = !isRecorded && !isFile;
  if (isFile) setSecurityHeaders(response);
  requestContext.isOwnPageRead = isReadByOwnPage(request, config.publicUrl);
  if (isRecorded) recordRequest(context, request, response);
  // A collected header is sent with all others by `writeHead`, which is faster than setting it.
  if (isService && !request.headers.origin) requestContext.setHeader('x-request-id', requestContext.requestId);
  else response.setHeader('x-request-id', requestContext.requestId);
  requestContext.baseUrl = hosts.requireHost(request.headers.host ?? addressOf(request));
  if (isRecorded && request.headers[EXPLAIN] === '1') {
    requestContext.setHeader(EXPLAIN, `${requestContext.baseUrl}/_emulator/explain/${requestContext.requestId}`);
  }
  if ((isService || isFile) && handleCors(config, request, response)) return false;
  // Shows the rate limit even if the operation needs no key. Without a valid key, it shows the whole limit.
  if (isService) rateLimit?.show(accounts.keys.find(request.headers.authorization)?.keyId, response);
  if (isControl) guardControl(context, token, request, response);
  return true;
}

function cdnOf({ storage: { served, files }, ...context }: Context): CdnHandler {
  const { audit } = context.records;
  const { rules } = context.failures;
  const { barrier } = context.control;
  return createCdnHandler({ served, files, audit, rules, barrier });
}

function isCdn(path: string): boolean {
  return path === '/cdn' || path.startsWith('/cdn/');
}

/** The address of the connection for HTTP/1.0, in which a request needs no Host. Empty for later versions. */
function addressOf({ httpVersion, socket }: HttpRequest): string {
  const { localAddress = '', localPort } = socket;
  if (httpVersion !== '1.0') return '';
  const address = localAddress.replace(/^::ffff:/, '');
  return `${address.includes(':') ? `[${address}]` : address}:${localPort}`;
}

function remembered<Loaded>(load: () => Promise<Loaded>): () => Promise<Loaded> {
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
  const message = `${method} is not a method of ${formatPathTemplate(path)}; use ${joinedWithOr(methods)}.`;
  return new EmulatorError('method_not_allowed', message, { headers: { allow: allowed.join(', ') } });
}
