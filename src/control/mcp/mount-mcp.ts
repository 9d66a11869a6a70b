import type { Request, Response, Router } from 'express';
import { EmulatorError } from '../../base/errors.ts';
import { parseJsonBody, readJsonBodyBytes } from '../../service/http/body.ts';
import type { Context } from '../../service/http/context.ts';
import { ControlConnection } from '../control-connection.ts';
import type { createMcpEndpoint } from './tool-server.ts';

export const MCP_PATH = '/_emulator/mcp';

const MIB = 1_048_576;
const MESSAGE_LIMIT = MIB;
const BODY_LIMIT = 8 * MIB;

/** Serves MCP over Streamable HTTP. Requests are independent. The tools are loaded with the first request [I238]. */
export function mountMcp(router: Router, { control: { hosts } }: Context, controlToken: string | undefined): void {
  let answer: ReturnType<typeof createMcpEndpoint> | undefined;
  router.post(MCP_PATH, async (request: Request, response: Response) => {
    const body = await readJsonBodyBytes(request, BODY_LIMIT);
    const message = parseJsonBody(body);
    requireSmall(body.length, message);
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

function requireSmall(bytes: number, message: unknown): void {
  if (bytes <= MESSAGE_LIMIT || bytes - mediaLength(message) <= MESSAGE_LIMIT) return;
  throw new EmulatorError(
    'payload_too_large',
    `The message has ${bytes} bytes; without the pictures and sounds in its data URLs it may have at most ${MESSAGE_LIMIT} (1 MiB). Send less at once.`,
  );
}

function mediaLength(value: unknown): number {
  if (typeof value === 'string') return /^data:(?:image|audio)\//.test(value) ? value.length : 0;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, each) => sum + mediaLength(each), 0);
}
