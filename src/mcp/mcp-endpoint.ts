import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import {
  createMcpHandler,
  isLegacyRequest,
  type McpHttpHandler,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { Request as NodeRequest } from 'express';
import type { ControlConnection } from '../client/control-connection.ts';
import { VERSION } from '../package/version.ts';
import { createToolServer } from './tool-server.ts';

/**
 * The tools over Streamable HTTP. Each request is independent: in the revision of 2026-07-28 it says of itself what it needs,
 * and for the older ones it is answered as one JSON text without a session.
 */
export class McpEndpoint {
  readonly #control: ControlConnection;
  readonly #stateless: McpHttpHandler;

  constructor(control: ControlConnection) {
    this.#control = control;
    this.#stateless = createMcpHandler(() => this.#server(), { legacy: 'reject' });
  }

  async answer(incoming: NodeRequest, outgoing: ServerResponse, message: unknown): Promise<void> {
    const leaving = new AbortController();
    outgoing.once('close', () => leaving.abort());
    const { method, headers } = incoming;
    const request = new Request('http://localhost/', { method, headers: pairs(headers), signal: leaving.signal });
    const isOlder = await isLegacyRequest(request, message);
    const answer = isOlder
      ? await this.#answerOlder(request, message, leaving.signal)
      : await this.#stateless.fetch(request, { parsedBody: message });
    await send(answer, outgoing);
  }

  async #answerOlder(request: Request, parsedBody: unknown, signal: AbortSignal): Promise<Response> {
    const server = this.#server();
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    signal.addEventListener('abort', () => void server.close());
    await server.connect(transport);
    return transport.handleRequest(request, { parsedBody });
  }

  #server() {
    return createToolServer(this.#control, VERSION);
  }
}

function pairs(headers: NodeRequest['headers']): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((each): [string, string] => [name, each]),
  );
}

/** An answer may be a stream that ends when its client leaves. */
async function send(answer: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(answer.status, Object.fromEntries(answer.headers));
  for await (const chunk of answer.body ?? []) {
    if (outgoing.destroyed) break;
    if (!outgoing.write(chunk)) await Promise.race([once(outgoing, 'drain'), once(outgoing, 'close')]);
  }
  outgoing.end();
}
