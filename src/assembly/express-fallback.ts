import type { ServerResponse } from 'node:http';
import express, { type Express, type Request, type Response } from 'express';
import { INBOX_ROUTE, mountInbox } from '../control/inbox.ts';
import { mountDashboard } from '../dashboard/mount-dashboard.ts';
import type { Context } from '../http/context.ts';
import type { Edge } from '../http/edge.ts';
import type { Answer } from '../http/server.ts';
import type { ServiceRequest } from '../http/service-request.ts';
import { MCP_PATH, mountMcp } from '../mcp/mount-mcp.ts';

/** What is no operation and no file: inboxes, the tools, the dashboard, and where a path is unknown. */
export function createExpressFallback(
  context: Context,
  { edge, token, paths }: { edge: Edge; token: string | undefined; paths: () => readonly string[] },
): Answer {
  const app = createApp();
  mountInbox(app, context);
  mountMcp(app, context, token);
  mountDashboard(app, token);
  edge.mountBack(app, () => [...paths(), INBOX_ROUTE, MCP_PATH]);
  return throughExpress(app);
}

/** An Express app with nothing that costs a request and is not needed. */
function createApp(): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  // What guards a path and what answers it must read it alike.
  app.enable('case sensitive routing');
  return app;
}

/** Through what is mounted on the app, the last layer of which answers everything. */
function throughExpress(app: Express): Answer {
  return (request: ServiceRequest, response: ServerResponse) => {
    // Told so, Express makes no handler of its own for each request.
    app(request as Request, response as Response, () => response.destroy());
  };
}
