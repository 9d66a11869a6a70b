import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { type ControlConnection, ControlError } from '../client/control-connection.ts';
import { EMULATOR_TOOLS, type EmulatorTool } from './emulator-tools.ts';

/** A server of tools, each of which is one request to the control surface of an emulator that runs. */
export function createToolServer(control: ControlConnection, version: string): McpServer {
  const server = new McpServer({ name: 'svc-emulator', version });
  for (const tool of EMULATOR_TOOLS) {
    const { name, description, input, isReadOnly = false } = tool;
    const about = { description, inputSchema: input, annotations: { readOnlyHint: isReadOnly } };
    server.registerTool(name, about, (given: Record<string, unknown>) => use(tool, control, given));
  }
  return server;
}

/** What the emulator answers, or refuses, as text: both tell whoever called what to do next. */
async function use(
  tool: EmulatorTool,
  control: ControlConnection,
  given: Record<string, unknown>,
): Promise<CallToolResult> {
  try {
    const answer = (await tool.call(control, given)) ?? { ok: true };
    return { content: [{ type: 'text', text: JSON.stringify(answer, null, 2) }] };
  } catch (error) {
    return { isError: true, content: [{ type: 'text', text: complaintOf(error, control.url) }] };
  }
}

function complaintOf(error: unknown, url: string): string {
  if (error instanceof ControlError) return `${error.status} ${error.code}: ${error.message}`;
  if (error instanceof TypeError)
    return `No emulator answers at ${url}. Start one with svc-emulator start, or say where it is with --host and --port.`;
  throw error;
}
