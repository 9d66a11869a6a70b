import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import {
  type CallToolResult,
  createMcpHandler,
  isLegacyRequest,
  ResourceNotFoundError,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { EmulatorError, invalidRequestError, quoted } from '../../base/errors.ts';
import { packageFolder, VERSION } from '../../base/package/package-folder.ts';
import { didYouMeanText } from '../../base/text.ts';
import { InputReader } from '../../service/http/input.ts';
import { sendOperation } from '../call-operation.ts';
import { CALLABLE_OPERATIONS, type CallableOperation } from '../callable-operations.ts';
import type { ControlConnection } from '../control-connection.ts';
import { ControlError } from '../control-errors.ts';
import { toJsonSchema } from '../openapi/json-schema.ts';

export interface EmulatorTool {
  name: string;
  description: string;
  input: z.ZodObject;
  isReadOnly: boolean;
  /** Fails with `invalid_request` for an unknown, missing or invalid argument. */
  call(control: ControlConnection, given: Record<string, unknown>): Promise<unknown>;
}

const LIST_LIMIT = 50;

export const OPERATION_TOOLS: readonly EmulatorTool[] = CALLABLE_OPERATIONS.filter(
  ({ answer }) => typeof answer !== 'string' || answer === 'nothing',
).map(toolOf);

function toolOf({ name, method, summary, input, check }: CallableOperation): EmulatorTool {
  return {
    name: name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    description: summary,
    input,
    isReadOnly: method === 'GET',
    call(control, given) {
      check(given);
      const fields = 'limit' in input.shape ? { limit: LIST_LIMIT, ...given } : given;
      return sendOperation(name, fields, control.transport);
    },
  };
}

function describe({ name, description: text, input, isReadOnly }: EmulatorTool) {
  const inputSchema = { ...toJsonSchema(input, 'input'), type: 'object' as const };
  return { name, description: text, inputSchema, annotations: { readOnlyHint: isReadOnly } };
}

const ONE_HOUR = { ttlMs: 3_600_000, cacheScope: 'public' } as const;
const CACHED = { 'tools/list': ONE_HOUR, 'resources/list': ONE_HOUR, 'resources/read': ONE_HOUR };

/**
 * A few tools are listed, and the others are accepted by name. A call ends if its client cancels or disconnects. `more`
 * are tools that start processes, only for a server on standard input and output.
 */
export function createToolServer(
  control: ControlConnection,
  version: string,
  more: readonly EmulatorTool[] = [],
): Server {
  const operations = [...OPERATION_TOOLS, ...more];
  const reaching = reachingTools(operations);
  const tools = [...operations, ...reaching];
  const server = new Server(
    { name: 'svc-emulator', version },
    { capabilities: { tools: {}, resources: {} }, cacheHints: CACHED },
  );
  server.setRequestHandler('tools/list', () => {
    const named = SHOWN.flatMap((name) => operations.find((each) => each.name === name) ?? []);
    return { tools: [...named, ...reaching].map(describe).map(abridged) };
  });
  server.setRequestHandler('tools/call', ({ params }, { mcpReq: { signal } }) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (tool) return use(tool, control.until(signal), params.arguments ?? {});
    return refusal(unknownOperation(params.name, tools));
  });
  server.setRequestHandler('resources/list', () => ({ resources: shippedPages() }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }));
  server.setRequestHandler('resources/read', ({ params: { uri } }) => ({ contents: [readPage(uri)] }));
  return server;
}

export function createMcpEndpoint(control: ControlConnection) {
  const server = () => createToolServer(control, VERSION);
  const stateless = createMcpHandler(server, { legacy: 'reject' });
  const answerOlder = async (request: Request, parsedBody: unknown, gone: AbortSignal): Promise<Response> => {
    const own = server();
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    // Listens to `gone`, because the signal of the request may be garbage-collected.
    gone.addEventListener('abort', () => void own.close());
    await own.connect(transport);
    return transport.handleRequest(request, { parsedBody });
  };
  return async (incoming: IncomingMessage, outgoing: ServerResponse, parsedBody: unknown): Promise<void> => {
    const leaving = new AbortController();
    outgoing.once('close', () => leaving.abort());
    const { method = 'POST', headersDistinct } = incoming;
    const headers = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
      values.map((each): [string, string] => [name, each]),
    );
    const request = new Request('http://localhost/', { method, headers, signal: leaving.signal });
    const isOlder = await isLegacyRequest(request, parsedBody);
    const answer = isOlder
      ? await answerOlder(request, parsedBody, leaving.signal)
      : await stateless.fetch(request, { parsedBody });
    outgoing.writeHead(answer.status, Object.fromEntries(answer.headers));
    await pipeline(answer.body ?? [], outgoing).catch(() => outgoing.destroy());
  };
}

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

function readPage(uri: string): { uri: string; mimeType: string; text: string } {
  const page = shippedPages().find((each) => each.uri === uri);
  if (!page) {
    const remedy = 'resources/list lists the existing ones.';
    throw new ResourceNotFoundError(uri, `There is no page ${quoted(uri)}. ${remedy}`);
  }
  return { uri, mimeType: page.mimeType, text: readFileSync(path.join(packageFolder(), page.name), 'utf8') };
}

const SHOWN = [
  'check',
  'run_command',
  'create_account',
  'wait_for',
  'list_usage',
  'list_requests',
  'explain_request',
  'judge_client',
  'create_fault',
  'advance_clock',
];
const EFFECT = {
  type: 'object',
  description:
    'one effect, such as {"status": 503}, {"lost_response": true}, {"fail_job": "render_failed"} or {"webhook": "duplicate"}; find {"query": "create_fault"} lists all effects.',
};
/** Shorter schemas of fields, for the listed tools. `undefined` hides a field that is only for fixtures. */
const ABRIDGED: Readonly<Record<string, Readonly<Record<string, object | undefined>>>> = {
  create_fault: { effect: EFFECT },
  create_account: { test: undefined, test_id: undefined },
};

const MAX_FOUND = 12;
const MAX_DESCRIBED = 2;

function abridged(tool: ReturnType<typeof describe>) {
  const { name, inputSchema } = tool;
  const properties = { ...Object(Reflect.get(inputSchema, 'properties')), ...ABRIDGED[name] };
  return { ...tool, inputSchema: { ...inputSchema, properties } };
}

const findInput = z.strictObject({
  query: z
    .string()
    .max(200)
    .default('')
    .describe('search words or the name of an operation; without a query, all names are listed.'),
});

const callInput = z.strictObject({
  name: z.string().max(200).describe('the name of an operation.'),
  arguments: z.record(z.string(), z.unknown()).default({}).describe('the fields of the operation.'),
});

function reachingTools(tools: readonly EmulatorTool[]): EmulatorTool[] {
  const [finding, calling] = [new InputReader(findInput), new InputReader(callInput)];
  return [
    {
      name: 'find',
      description:
        'Finds operations by words, such as keys, jobs, deliveries, snapshots, holds or flows. Returns the fields of the first matches.',
      input: findInput,
      isReadOnly: true,
      call: async (_control, given) => found(tools, finding.readKnown(given).query),
    },
    {
      name: 'call',
      description: 'Calls an operation by the name that find returns.',
      input: callInput,
      isReadOnly: false,
      async call(control, given) {
        const { name, arguments: fields } = calling.readKnown(given);
        const tool = tools.find((each) => each.name === name);
        if (tool) return tool.call(control, fields);
        throw invalidRequestError('name', unknownOperation(name, tools));
      },
    },
  ];
}

function unknownOperation(name: string, tools: readonly EmulatorTool[]): string {
  const names = tools.map((each) => each.name);
  return `There is no operation ${quoted(name)}.${didYouMeanText(name, names)} find looks for operations by words.`;
}

function found(tools: readonly EmulatorTool[], query: string) {
  const words = query
    .toLowerCase()
    .split(/[\s_]+/)
    .filter(Boolean);
  if (words.length === 0) return { names: tools.map(({ name }) => name) };
  const ranked = tools
    .map((tool) => ({ tool, rank: rankOf(tool, query, words) }))
    .filter(({ rank }) => rank > 0)
    .toSorted((a, b) => b.rank - a.rank)
    .slice(0, MAX_FOUND);
  const described = ranked[0]?.tool.name === query ? 1 : MAX_DESCRIBED;
  const operations = ranked.map(({ tool }, at) => {
    const { name, description } = tool;
    return { name, description, ...(at < described && { input: describe(tool).inputSchema }) };
  });
  return operations.length > 0 ? { operations } : { operations, names: tools.map(({ name }) => name) };
}

function rankOf({ name, description }: EmulatorTool, query: string, words: readonly string[]): number {
  if (name === query) return Number.POSITIVE_INFINITY;
  const text = description.toLowerCase();
  const stems = words.map((word) => word.replace(/s$/, ''));
  return stems.reduce((sum, stem) => sum + (name.includes(stem) ? 3 : 0) + (text.includes(stem) ? 1 : 0), 0);
}
