import { createServer, IncomingMessage, type Server, ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import express, { type Express } from 'express';
import type { Clock } from '../../base/clock/clock.ts';
import type { Config } from '../../base/config/config.ts';
import { EmulatorError, invalidRequestError, systemErrorCode } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import { toErrorResponse } from './error-response.ts';
import { describePortHolder, httpUrl, localHttpUrl, namePortHolderOnConflict } from './port-in-use.ts';

/** Time limits for requests, in real milliseconds [I210]. */
const LIMITS = { headersTimeout: 60_000, requestTimeout: 300_000, connectionsCheckingInterval: 1_000 };

export function createHttpServer(app: Express, times = LIMITS): Server {
  const classes = {
    IncomingMessage: app.request.constructor as typeof IncomingMessage,
    ServerResponse: app.response.constructor as typeof ServerResponse,
  };
  // Node must accept a request without a Host, because the emulator rejects it with an error of its own.
  return createServer({ ...classes, keepAliveTimeout: 65_000, ...times, requireHostHeader: false }, app);
}

export function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    // The default backlog of 511 is too small: a test suite may open 1,000 connections together, and some would be
    // reset.
    server.listen({ port, host, backlog: 4096 }, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

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

/** How long running requests may take at a stop, in real milliseconds. */
const GRACE = 3000;

export interface ListeningServer {
  url: string;
  localUrl: string;
  /** Another program that uses the port on ::1, which clients of `localhost` may reach. */
  neighbour: string | undefined;
  /** Sets whether the servers keep the process running. */
  hold(isHeld: boolean): void;
  close(): Promise<void>;
}

export async function listenOnHost(
  app: Express,
  config: Config,
  { clock, random }: { clock: Clock; random: Random },
): Promise<ListeningServer> {
  const makeServer = () => {
    const server = createHttpServer(app);
    server.on('clientError', (error, socket) => respondToBrokenRequest(error, socket, random.requestIds.next()));
    return server;
  };
  const first = makeServer();
  const port = await namePortHolderOnConflict(config, listen(first, config.port, config.host));
  const second = config.host === '127.0.0.1' ? await listenOnIpv6Loopback(makeServer(), port) : {};
  const servers = second.server ? [first, second.server] : [first];
  return {
    url: httpUrl(config.host, port),
    localUrl: localHttpUrl(config.host, port),
    neighbour: second.holder,
    hold: (isHeld) => holdServers(servers, isHeld),
    async close() {
      await Promise.all(servers.map((server) => closeServer(server, (cut) => clock.after(GRACE, cut))));
    },
  };
}

/** Sets whether the servers, and connections opened from now on, keep the process running. */
function holdServers(servers: readonly Server[], isHeld: boolean): void {
  for (const server of servers) {
    server.off('connection', letGo);
    if (isHeld) server.ref();
    else server.unref().on('connection', letGo);
  }
}

function letGo(socket: Socket): void {
  socket.unref();
}

async function listenOnIpv6Loopback(server: Server, port: number): Promise<{ server?: Server; holder?: string }> {
  try {
    await listen(server, port, '::1');
    return { server };
  } catch (error) {
    return systemErrorCode(error) === 'EADDRINUSE' ? { holder: await describePortHolder(httpUrl('::1', port)) } : {};
  }
}

export function respondToBrokenRequest(error: Error, socket: Duplex, requestId: string): void {
  const open = socket as Duplex & { _httpMessage?: { headersSent: boolean } };
  if (!socket.writable || open._httpMessage?.headersSent) {
    socket.destroy(error);
    return;
  }
  const { status, body } = toErrorResponse(errorOf(error, open._httpMessage ? 'body' : 'head'));
  const text = JSON.stringify(body);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `x-request-id: ${requestId}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(text)}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`, () => socket.destroy());
}

function errorOf(error: Error, reading: 'head' | 'body'): EmulatorError {
  const code = 'code' in error ? error.code : undefined;
  if (code === 'HPE_HEADER_OVERFLOW')
    return invalidRequestError(null, 'The headers are over 16 KiB; send fewer or shorter ones.');
  if (code === 'HPE_INVALID_EOF_STATE')
    return invalidRequestError(null, 'The body ended before it was complete. Send all of it.', 'C020');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return tooSlow(reading);
  return invalidRequestError(null, `The request is not valid HTTP/1.1 (${error.message.slice(0, 100)}).`);
}

function tooSlow(part: 'head' | 'body'): EmulatorError {
  if (part === 'head')
    return new EmulatorError(
      'timeout',
      'The head of the request was not complete within 60 s; send all of its headers at once.',
    );
  return new EmulatorError('timeout', 'The body was not complete within 300 s; send it without pauses.', {
    choice: 'C030',
  });
}

export function createExpressApp(): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  // Otherwise `/_Emulator/…` would reach a control operation but not its guard, which compares paths with regard to
  // case.
  app.enable('case sensitive routing');
  presetPrototypes(app);
  return app;
}

/**
 * Sets the prototypes of requests and responses, as `createHttpServer` expects. Express would otherwise replace them for
 * each request, and a chat would take 1.9 times the CPU time.
 */
function presetPrototypes(app: Express): void {
  class AppRequest extends IncomingMessage {}
  class AppResponse extends ServerResponse {}
  Object.setPrototypeOf(AppRequest.prototype, app.request);
  Object.setPrototypeOf(AppResponse.prototype, app.response);
  Object.assign(app, { request: AppRequest.prototype, response: AppResponse.prototype });
}
