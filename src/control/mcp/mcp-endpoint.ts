import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import {
  createMcpHandler,
  isLegacyRequest,
  type McpHttpHandler,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { Request as NodeRequest } from 'express';
import { VERSION } from '../../base/package/package-folder.ts';
import type { ControlConnection } from '../control-connection.ts';
import { createToolServer } from './tool-server.ts';

/**
 * The tools over Streamable HTTP. Each request is independent: in the revision of 2026-07-28 it says of itself what it needs,
 * and for the older ones it is answered as one JSON text without a session.
 */
export class McpEndpoint {
  readonly #control: ControlConnection;
  readonly #stateless: McpHttpHandler;
  /** Answers to `tools/list`, which are the same as long as the process runs, by all of the request but its id. */
  readonly #lists = new Map<string, Buffer>();

  constructor(control: ControlConnection) {
    this.#control = control;
    this.#stateless = createMcpHandler(() => this.#server(), { legacy: 'reject' });
  }

  async answer(incoming: NodeRequest, outgoing: ServerResponse, message: unknown): Promise<void> {
    const key = listKey(incoming, message);
    const list = key === undefined ? undefined : this.#lists.get(key);
    if (list) return sendList(list, outgoing, message);
    const leaving = new AbortController();
    outgoing.once('close', () => leaving.abort());
    const { method, headers } = incoming;
    const request = new Request('http://localhost/', { method, headers: pairs(headers), signal: leaving.signal });
    const isOlder = await isLegacyRequest(request, message);
    const answer = isOlder
      ? await this.#answerOlder(request, message, leaving.signal)
      : await this.#stateless.fetch(request, { parsedBody: message });
    if (key === undefined || answer.status !== 200) return send(answer, outgoing);
    const { result, error } = JSON.parse(await answer.text());
    const made = Buffer.from(`{"jsonrpc":"2.0",${JSON.stringify(result ? { result } : { error }).slice(1, -1)},"id":`);
    if (result && this.#lists.size < MOST_LISTS) this.#lists.set(key, made);
    sendList(made, outgoing, message);
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

/** Clients differ in the headers and `_meta` that they send, and are few. */
const MOST_LISTS = 32;

/** What an answer to `tools/list` depends on; undefined for other messages, and for one whose answer may be a stream. */
function listKey({ headers }: NodeRequest, message: unknown): string | undefined {
  const { id, method, ...asked } = Object(message);
  if (method !== 'tools/list' || !['string', 'number'].includes(typeof id)) return undefined;
  const read = Object.entries(headers).filter(([name]) => /^(?:mcp-|accept$|content-type$)/.test(name));
  return JSON.stringify([read, asked]);
}

function sendList(list: Buffer, outgoing: ServerResponse, message: unknown): void {
  const end = Buffer.from(`${JSON.stringify(Object(message).id)}}`);
  const length = list.length + end.length;
  outgoing.writeHead(200, { 'content-type': 'application/json', 'content-length': length });
  outgoing.write(list);
  outgoing.end(end);
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
