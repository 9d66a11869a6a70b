import { Socket } from 'node:net';
import type { buildConnector, Dispatcher } from 'undici';

/** What is sent beside the URL. */
export interface LocalRequest {
  method?: Dispatcher.HttpMethod;
  headers?: Record<string, string>;
  body?: string;
  signal?: AbortSignal | undefined;
}

/**
 * Requests to an emulator, or to a program of this machine. They use no proxy, and a `fetch`, an `http` module or a global
 * dispatcher that a test has replaced does not concern them. Rejects with the error of the connection, or with the reason of
 * the signal.
 */
export class LocalRequests {
  #agent: ReturnType<typeof openAgent> | undefined;

  async send(url: string, { method = 'GET', signal, ...more }: LocalRequest = {}): Promise<Dispatcher.ResponseData> {
    this.#agent ??= openAgent();
    const { request, agent } = await this.#agent;
    signal?.throwIfAborted();
    return request(url, { method, signal, ...more, dispatcher: agent });
  }
}

/** Loaded at its first use, as it would slow down every start. */
async function openAgent() {
  // Inside a bundle it has no named exports.
  const { Agent, request } = (await import('undici')).default;
  // The answer of a wait may take as long as the wait.
  return { request, agent: new Agent({ connect, headersTimeout: 0, bodyTimeout: 0 }) };
}

/** As it is when this module loads: nock replaces it, to forbid connections. */
const connectSocket = Socket.prototype.connect;

function connect({ hostname, port }: buildConnector.Options, callback: buildConnector.Callback): void {
  const socket = new Socket();
  const failed = (error: Error) => callback(error, null);
  socket.once('error', failed).once('connect', () => {
    socket.off('error', failed);
    callback(null, socket.setNoDelay(true));
  });
  const host = hostname.replace(/^\[|\]$/g, '');
  Reflect.apply(connectSocket, socket, [{ host, port: Number(port || 80) }]);
}
