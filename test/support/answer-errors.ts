import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Express } from 'express';
import { onTestFinished } from 'vitest';
import { attachRequestContext, RequestContext, type ServiceRequest } from '../../src/service/http/request.ts';
import { sendError } from '../../src/service/http/send.ts';
import { createExpressApp, createHttpServer } from '../../src/service/http/server.ts';

/** For a server that a test makes of a part: requests are stamped and errors answered as the whole does it. */
export function answerErrors(serve: (request: ServiceRequest, response: ServerResponse) => Promise<void>): Express {
  const app = createExpressApp();
  app.use((request, response) => {
    attachRequestContext(response, new RequestContext('req_1', { received: 0, began: 0, journalEpoch: 0 }));
    serve(request, response).catch((error: unknown) => sendError(response, error));
  });
  return app;
}

/** Such a server, on a port of its own until the test ends. */
export async function openServer(serve: Parameters<typeof answerErrors>[0]): Promise<{ server: Server; port: number }> {
  const server = createHttpServer(answerErrors(serve));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server, port: (server.address() as AddressInfo).port };
}
