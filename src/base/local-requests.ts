import { Socket } from 'node:net';
import type { buildConnector, Dispatcher } from 'undici';

export interface LocalRequestOptions {
  method?: Dispatcher.HttpMethod;
  headers?: Record<string, string>;
  body?: string;
  signal?: AbortSignal | undefined;
}

/**
 * For programs on this machine. No proxy applies, nor a `fetch`, `http` module or dispatcher that a test has replaced.
 * Rejects with the connection's error, or with the reason of the signal.
 */
export class LocalHttpClient {
  #agent: ReturnType<typeof openAgent> | undefined;

  async send(
    url: string,
    { method = 'GET', signal, ...more }: LocalRequestOptions = {},
  ): Promise<Dispatcher.ResponseData> {
    this.#agent ??= openAgent();
    const agent = await this.#agent;
    signal?.throwIfAborted();
    const { origin, pathname, search } = new URL(url);
    return agent.request({ origin, path: pathname + search, method, signal, ...more });
  }
}

/** undici is loaded at the first request, because it would slow every start. */
async function openAgent() {
  const { Agent } = (await import('undici')).default;
  // Without time limits, because a control operation may wait as long as its caller wants.
  return new Agent({ connect, headersTimeout: 0, bodyTimeout: 0 });
}

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
