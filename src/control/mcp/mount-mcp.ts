import type { Request, Response, Router } from 'express';
import { EmulatorError } from '../../base/errors.ts';
import { parseJsonBody, readJsonBodyBytes } from '../../service/http/body.ts';
import type { Context } from '../../service/http/context.ts';
import { ControlConnection } from '../control-connection.ts';
import type { createMcpEndpoint } from './tool-server.ts';

export const MCP_PATH = '/_emulator/mcp';

const MESSAGE_LIMIT = 8 * 1_048_576;

/** Serves MCP over Streamable HTTP. Requests are independent. The tools are loaded with the first request [I238]. */
export function mountMcp(router: Router, { control: { hosts } }: Context, controlToken: string | undefined): void {
  let answer: ReturnType<typeof createMcpEndpoint> | undefined;
  router.post(MCP_PATH, async (request: Request, response: Response) => {
    const message = parseJsonBody(await readJsonBodyBytes(request, MESSAGE_LIMIT));
    const { createMcpEndpoint } = await import('./tool-server.ts');
    answer ??= createMcpEndpoint(new ControlConnection(hosts.localUrl, { controlToken }));
    await answer(request, response, message);
  });
  router.all(MCP_PATH, (request: Request) => {
    throw new EmulatorError('method_not_allowed', `${request.method} is not a method of ${MCP_PATH}; use POST.`, {
      headers: { allow: 'POST' },
    });
  });
}
