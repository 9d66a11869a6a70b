import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { type ControlConnection, ControlError } from '../client/control-connection.ts';
import { EmulatorError } from '../errors.ts';
import { jsonSchema } from '../openapi/json-schema.ts';
import { EMULATOR_TOOLS, type EmulatorTool } from './emulator-tools.ts';
import { readPage, shippedPages } from './shipped-pages.ts';

/**
 * A server of tools, each of which is one request to the control surface of an emulator that runs. `more` are those that
 * start a process: they are for standard input and output only.
 */
export function createToolServer(
  control: ControlConnection,
  version: string,
  more: readonly EmulatorTool[] = [],
): Server {
  const tools = [...EMULATOR_TOOLS, ...more];
  const server = new Server({ name: 'svc-emulator', version }, { capabilities: { tools: {}, resources: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.map(described) }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (tool) return use(tool, control, params.arguments ?? {});
    return refused(`There is no tool "${params.name.slice(0, 80)}". tools/list names those there are.`);
  });
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: shippedPages() }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => ({ contents: [readPage(uri)] }));
  return server;
}

function described({ name, description, input, isReadOnly }: EmulatorTool) {
  const inputSchema = { ...jsonSchema(input, 'input'), type: 'object' as const };
  return { name, description, inputSchema, annotations: { readOnlyHint: isReadOnly } };
}

/** What the emulator answers, or refuses: both tell whoever called what to do next. */
async function use(
  tool: EmulatorTool,
  control: ControlConnection,
  given: Record<string, unknown>,
): Promise<CallToolResult> {
  try {
    const answer = (await tool.call(control, given)) ?? { ok: true };
    const content = [{ type: 'text' as const, text: JSON.stringify(answer, null, 2) }];
    return { content, structuredContent: answer as Record<string, unknown> };
  } catch (error) {
    return refused(complaintOf(error));
  }
}

function refused(text: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text }] };
}

function complaintOf(error: unknown): string {
  if (error instanceof ControlError) return `${error.status} ${error.code}: ${error.message}`;
  if (error instanceof EmulatorError) return `400 ${error.code}: ${error.message}`;
  if (error instanceof Error) return error.message;
  throw error;
}
