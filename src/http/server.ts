import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RoutedRequest, type ServiceRequest } from './service-request.ts';

/** In milliseconds of real time: how long the head of a request may take, however it drips, and how often that is looked at. */
export interface HeadLimits {
  headersTimeout: number;
  connectionsCheckingInterval: number;
}

/** Node gives a head no limit of its own where a whole request has none [I210]. */
const HEADS: HeadLimits = { headersTimeout: 60_000, connectionsCheckingInterval: 1_000 };

/** Answers a request, whatever becomes of it. */
export type Answer = (request: ServiceRequest, response: ServerResponse) => void;

export function createHttpServer(answer: Answer, heads: HeadLimits = HEADS): Server {
  const limits = { keepAliveTimeout: 65_000, requestTimeout: 0, ...heads };
  // A request without a Host is answered by us, in the shape of every other error.
  return createServer({ IncomingMessage: RoutedRequest, ...limits, requireHostHeader: false }, answer);
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
