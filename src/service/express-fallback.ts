import type { ServerResponse } from 'node:http';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import { INBOX_ROUTE, mountInbox } from '../control/inbox.ts';
import { MCP_PATH, mountMcp } from '../control/mcp/mount-mcp.ts';
import { mountDashboard } from '../dashboard/mount-dashboard.ts';
import type { Context } from './http/context.ts';
import { isMeantForService, unknownPath } from './http/did-you-mean.ts';
import { answerError } from './http/error-answer.ts';
import type { ServiceRequest } from './http/request.ts';
import { recordRequest } from './http/request-record.ts';
import type { Answer } from './http/server.ts';

/** Answers what is no operation and no file: inboxes, the MCP tools, the dashboard, and unknown paths. */
export function createExpressFallback(
  context: Context,
  { token, paths }: { token: string | undefined; paths: () => readonly string[] },
): Answer {
  const app = createApp();
  mountInbox(app, context);
  mountMcp(app, context, token);
  mountDashboard(app, token);
  mountUnknown(app, context, () => [...paths(), INBOX_ROUTE, MCP_PATH]);
  return throughExpress(app);
}

/** An Express app without what each request would pay for and nothing needs. */
function createApp(): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  // The guard of a path and its handler must compare it alike.
  app.enable('case sensitive routing');
  return app;
}

/** Mounts the answers to unknown paths and to errors. A path that lacks only its /v1 is recorded as a request to the service. */
function mountUnknown(app: Express, context: Context, known: () => readonly string[]): void {
  app.use((request: ServiceRequest, response: ServerResponse) => {
    const { path } = request;
    const paths = known();
    if (!path.startsWith('/v1/') && isMeantForService(path, paths)) recordRequest(context, request, response);
    throw unknownPath(path, paths);
  });
  app.use((error: unknown, request: ServiceRequest, response: ServerResponse, _next: NextFunction) => {
    answerError(context, request, response, error);
  });
}

/** Through what is mounted on the app, the last layer of which answers everything. */
function throughExpress(app: Express): Answer {
  return (request: ServiceRequest, response: ServerResponse) => {
    // With this argument Express makes no handler of its own for each request.
    app(request as Request, response as Response, () => response.destroy());
  };
}
