import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { sendOperation } from '../client/call-operation.ts';
import { type ControlConnection, ControlError } from '../client/control-connection.ts';
import { CONTROL } from '../control/control-routes.ts';
import { EmulatorError } from '../errors.ts';
import { InputReader } from '../http/input.ts';
import type { Operation } from '../http/operation.ts';
import { jsonSchema } from '../openapi/json-schema.ts';
import { packageFolder } from '../package/fixture-folder.ts';

/** One operation of the control surface as a tool of an assistant. */
export interface EmulatorTool {
  name: string;
  description: string;
  /** The parameters of its path, its query and its body, as one strict object. */
  input: z.ZodObject;
  isReadOnly: boolean;
  /** Throws `invalid_request` for an argument that it does not know, naming the nearest. */
  call(control: ControlConnection, given: Record<string, unknown>): Promise<unknown>;
}

/** Tools whose name does not follow from the operation's. */
const NAMES: Record<string, string> = {
  listUsage: 'read_ledger',
  createFault: 'add_fault',
  getClock: 'read_clock',
  topUpCredits: 'top_up',
  deleteFaults: 'remove_faults',
  deleteFault: 'remove_fault',
  judgeClient: 'verdict',
};

/** How many records of a list an assistant reads unless it asks for more. */
const LIST_LIMIT = 50;

/** Every operation of the control surface that takes and answers JSON, in the order of its routes. */
const OPERATION_TOOLS: readonly EmulatorTool[] = CONTROL.filter(isTool).map(toolOf);

/**
 * A server of tools, each of which is one request to the control surface of an emulator that runs; a request ends when its
 * client cancels it or goes. `more` are tools that start a process: they are for standard input and output only.
 */
export function createToolServer(
  control: ControlConnection,
  version: string,
  more: readonly EmulatorTool[] = [],
): Server {
  const tools = [...OPERATION_TOOLS, ...more];
  const server = new Server({ name: 'svc-emulator', version }, { capabilities: { tools: {}, resources: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.map(description) }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, { signal }) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (tool) return use(tool, control.until(signal), params.arguments ?? {});
    return refusal(`There is no tool "${params.name.slice(0, 80)}". tools/list names those there are.`);
  });
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: shippedPages() }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => ({ contents: [readPage(uri)] }));
  return server;
}

function isTool({ access, stream, answer, name }: Operation): boolean {
  const isJson = typeof answer !== 'string' || answer === 'nothing';
  return access === 'local' && !stream && isJson && name !== 'openSession';
}

function toolOf(operation: Operation): EmulatorTool {
  const { name, method, path: route, summary } = operation;
  const parameters = pathArguments(route);
  const ids = Object.fromEntries(
    [...parameters.keys()].map((each) => [each, z.string().describe('what the path names.')]),
  );
  const query = shapeOf(operation.query);
  const input = z.strictObject({ ...ids, ...query, ...shapeOf(operation.body) });
  const reader = new InputReader(input);
  return {
    name: NAMES[name] ?? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    description: summary,
    input,
    isReadOnly: method === 'GET',
    call(control, given) {
      reader.readKnown(given);
      const wanted = Object.entries('limit' in query ? { limit: LIST_LIMIT, ...given } : given);
      const fields = Object.fromEntries(
        wanted.map(([argument, value]) => [parameters.get(argument) ?? argument, value]),
      );
      return sendOperation(name, fields, control.transport);
    },
  };
}

/** The parameters of a path by the names of their arguments: `:id` of `/accounts/:id/keys` is `account_id`. */
function pathArguments(route: string): Map<string, string> {
  const parameters = [...route.matchAll(/\/([\w-]+)\/:(\w+)/g)];
  return new Map(
    parameters.map(([, resource = '', parameter = '']) => [
      parameter === 'id' ? `${resource === 'explain' ? 'request' : singular(resource)}_id` : parameter,
      parameter,
    ]),
  );
}

function singular(word: string): string {
  return word.replace(/ies$/, 'y').replace(/s$/, '');
}

function shapeOf(schema: z.ZodType | undefined): z.ZodRawShape {
  return schema instanceof z.ZodObject ? schema.shape : {};
}

const descriptions = new WeakMap<EmulatorTool, ReturnType<typeof describe>>();

/** Made once for each tool: making those of all takes tens of milliseconds. */
function description(tool: EmulatorTool): ReturnType<typeof describe> {
  const made = descriptions.get(tool) ?? describe(tool);
  descriptions.set(tool, made);
  return made;
}

function describe({ name, description: text, input, isReadOnly }: EmulatorTool) {
  const inputSchema = { ...jsonSchema(input, 'input'), type: 'object' as const };
  return { name, description: text, inputSchema, annotations: { readOnlyHint: isReadOnly } };
}

/** What the emulator answers, or refuses: both say what to do next. */
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
    return refusal(messageOf(error));
  }
}

function refusal(text: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text }] };
}

function messageOf(error: unknown): string {
  if (error instanceof ControlError) return `${error.status} ${error.code}: ${error.message}`;
  if (error instanceof EmulatorError) return `400 ${error.code}: ${error.message}`;
  if (error instanceof Error) return error.message;
  throw error;
}

const SCHEME = 'svc-emulator://';

/** The pages that come with the package, as resources of an assistant. */
function shippedPages(): { uri: string; name: string; mimeType: string }[] {
  const docs = path.join(packageFolder(), 'docs');
  const pages = existsSync(docs) ? readdirSync(docs).filter((file) => file.endsWith('.md')) : [];
  const files = ['llms.txt', 'README.md', 'skills/svc-emulator/SKILL.md', ...pages.map((file) => `docs/${file}`)];
  const present = files.filter((file) => existsSync(path.join(packageFolder(), file)));
  return present.map((file) => ({
    uri: SCHEME + file,
    name: file,
    mimeType: file.endsWith('.md') ? 'text/markdown' : 'text/plain',
  }));
}

/** Throws `not_found` for a URI that `resources/list` does not name. */
function readPage(uri: string): { uri: string; mimeType: string; text: string } {
  const page = shippedPages().find((each) => each.uri === uri);
  if (!page) {
    const remedy = 'resources/list names those there are.';
    throw new EmulatorError('not_found', `There is no page "${uri.slice(0, 80)}". ${remedy}`);
  }
  return { uri, mimeType: page.mimeType, text: readFileSync(path.join(packageFolder(), page.name), 'utf8') };
}
