import type { ServerResponse } from 'node:http';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import type { Context } from './http/context.ts';
import { isMeantForService, unknownPath } from './http/did-you-mean.ts';
import { answerError } from './http/error-answer.ts';
import type { ServiceRequest } from './http/request.ts';
import { recordRequest } from './http/request-record.ts';
import type { Answer } from './http/server.ts';

/** What is mounted on the framework. */
export interface Pages {
  /** Paths beside those of the operations, as an unknown path is compared with them. */
  paths: readonly string[];
  mount(app: Express): void;
}

/** Answers what is no operation and no file: what `pages` mounts, and unknown paths. */
export function createExpressFallback(context: Context, pages: Pages, operations: () => readonly string[]): Answer {
  const app = createApp();
  pages.mount(app);
  mountUnknown(app, context, () => [...operations(), ...pages.paths]);
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
