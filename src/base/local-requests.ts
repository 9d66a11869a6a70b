import * as importedHttp from 'node:http';
import { Socket } from 'node:net';
import { realProcess } from './clock/real-globals.ts';

export interface LocalRequestOptions {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  signal?: AbortSignal | undefined;
}

/** How long an idle connection is kept, in milliseconds: less than the 65 s after which the emulator closes it. */
const IDLE_MS = 30_000;

/** The module itself, because Jest gives tests another one after `jest.mock('http')`. Node 18 can only import it. */
const http = realProcess.getBuiltinModule?.('node:http') ?? importedHttp;

const ClientRequest = findOriginalClientRequest();

/** The class of Node, although nock and MSW replace it by a subclass or a proxy, maybe before this module is loaded. */
function findOriginalClientRequest(): typeof http.ClientRequest {
  const { ClientRequest, OutgoingMessage } = http;
  for (let at = ClientRequest.prototype; at; at = Object.getPrototypeOf(at)) {
    if (Object.getPrototypeOf(at) === OutgoingMessage.prototype) return at.constructor as typeof ClientRequest;
  }
  return ClientRequest;
}

/**
 * Sends requests over plain HTTP, mostly to this machine. No proxy applies, nor a `fetch`, `http` module or dispatcher
 * that a test has replaced. Rejects with the connection's error, or with the reason of the signal.
 */
export class LocalHttpClient {
  readonly #agent = new LocalAgent({ keepAlive: true, timeout: IDLE_MS });

  async send(url: string, options: LocalRequestOptions = {}): Promise<importedHttp.IncomingMessage> {
    const { method = 'GET', headers = {}, body, signal } = options;
    signal?.throwIfAborted();
    const target = new URL(url);
    const request = {
      ...{ agent: this.#agent, ...hostAndPortOfUrl(target), method, path: target.pathname + target.search, signal },
      headers: body === undefined ? headers : { ...headers, 'content-length': Buffer.byteLength(body) },
    };
    return new Promise((resolve, reject) => {
      const failed = (error: Error) => reject(signal?.aborted ? signal.reason : error);
      new ClientRequest(request, resolve).on('error', failed).end(body);
    });
  }
}

export function hostAndPortOfUrl({ protocol, hostname, port }: URL): { host: string; port: number } {
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || (protocol === 'https:' ? 443 : 80)) };
}

export function readResponseText(response: importedHttp.IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    response.setEncoding('utf8');
    response.on('data', (piece: string) => {
      text += piece;
    });
    response.on('end', () => resolve(text)).on('error', reject);
  });
}

const connectSocket = Socket.prototype.connect;

class LocalAgent extends http.Agent {
  override createConnection({ host, port }: { host?: string | null; port?: number | string | null }): Socket {
    const socket = new Socket().setNoDelay(true);
    return Reflect.apply(connectSocket, socket, [{ host, port: Number(port) }]);
  }
}
