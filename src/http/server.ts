import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Express, type Request, type Response } from 'express';

/** An Express app with nothing that costs a request and is not needed. */
export function createApp(): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  // What guards a path and what answers it must read it alike.
  app.enable('case sensitive routing');
  return app;
}

/** In milliseconds of real time: how long the head of a request may take, however it drips, and how often that is looked at. */
export interface HeadLimits {
  headersTimeout: number;
  connectionsCheckingInterval: number;
}

/** Node gives a head no limit of its own where a whole request has none [I210]. */
const HEADS: HeadLimits = { headersTimeout: 60_000, connectionsCheckingInterval: 1_000 };

/**
 * A server whose requests and responses already have the prototypes that Express would give them:
 * changing the prototype of a live object is most of what Express costs.
 */
export function createHttpServer(app: Express, answer: Answer = throughLayers(app), heads: HeadLimits = HEADS): Server {
  const options = {
    IncomingMessage: preparedRequest(app.request),
    ServerResponse: preparedResponse(app.response),
  };
  const limits = { keepAliveTimeout: 65_000, requestTimeout: 0, ...heads };
  // A request without a Host is answered by us, in the shape of every other error.
  return createServer({ ...options, ...limits, requireHostHeader: false }, (request, response) => {
    answer(request as Request, response as Response);
  });
}

/** Answers a request, whatever becomes of it. */
export type Answer = (request: Request, response: Response) => void;

/** Through what is mounted on the app, the last layer of which answers everything. */
export function throughLayers(app: Express): Answer {
  return (request, response) => {
    // Told so, Express makes no handler of its own for each request.
    app(request, response, () => response.destroy());
  };
}

function preparedRequest(prototype: object): typeof IncomingMessage {
  function Prepared(this: IncomingMessage, ...parts: unknown[]) {
    Reflect.apply(IncomingMessage as unknown as () => void, this, parts);
  }
  return asClass<typeof IncomingMessage>(Prepared, prototype, IncomingMessage);
}

function preparedResponse(prototype: object): typeof ServerResponse {
  function Prepared(this: ServerResponse, ...parts: unknown[]) {
    Reflect.apply(ServerResponse as unknown as () => void, this, parts);
  }
  return asClass<typeof ServerResponse>(Prepared, prototype, ServerResponse);
}

/** Node's own classes are functions: calling them on an object of our making keeps its prototype. */
function asClass<Class>(maker: unknown, prototype: object, parent: object): Class {
  const made = maker as { prototype: object };
  made.prototype = prototype;
  Object.setPrototypeOf(made, parent);
  return made as Class;
}

/** Listens, and answers the port. Rejects with the system's error (`EADDRINUSE`, …). */
export function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Stops listening, lets what runs finish for `grace` milliseconds (a timer given by the clock), then cuts it. */
export function closeServer(server: Server, after: (cut: () => void) => () => void): Promise<void> {
  return new Promise((resolve) => {
    const cancel = after(() => server.closeAllConnections());
    server.close(() => {
      cancel();
      resolve();
    });
    server.closeIdleConnections();
  });
}
