import type { Express, Request, Response } from 'express';
import { ControlConnection } from '../client/control-connection.ts';
import { EmulatorError } from '../errors.ts';
import { BodyBufferPool } from '../http/body-buffer-pool.ts';
import type { Context } from '../http/context.ts';
import { parseJson, readBody } from '../http/json-body.ts';
import { VERSION } from '../package/version.ts';

export const MCP_PATH = '/_emulator/mcp';

/** A message of an assistant is small, but for pictures of elements: 8 MiB. */
const MOST_BYTES = 8 * 1_048_576;

/**
 * The tools over Streamable HTTP, behind the doors of the control surface; each request stands by itself, and nothing of
 * it is loaded before the first one [I238].
 */
export function mountMcp(app: Express, { clock }: Context, token: string | undefined): void {
  const room = new BodyBufferPool(clock);
  app.post(MCP_PATH, async (request: Request, response: Response) => {
    const message = parseJson(await readBody(request, { limit: MOST_BYTES, room }));
    const { createToolServer } = await import('./tool-server.ts');
    const { StreamableHTTPServerTransport } = await import('@modelcontextprotocol/sdk/server/streamableHttp.js');
    const server = createToolServer(new ControlConnection(ownUrl(request), token), VERSION);
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
    response.once('close', () => void server.close());
    await server.connect(transport as Parameters<typeof server.connect>[0]);
    await transport.handleRequest(request, response, message);
  });
  app.all(MCP_PATH, (request: Request) => {
    throw new EmulatorError('method_not_allowed', `${request.method} is not a method of ${MCP_PATH}; use POST.`, {
      headers: { allow: 'POST' },
    });
  });
}

/** Where the request came in, as this machine reaches it. */
function ownUrl({ socket }: Request): string {
  const { localAddress = '127.0.0.1', localPort } = socket;
  return `http://${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`;
}
