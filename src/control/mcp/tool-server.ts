import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type CallToolResult, ResourceNotFoundError, Server } from '@modelcontextprotocol/server';
import { EmulatorError, quoted } from '../../base/errors.ts';
import { packageFolder } from '../../base/package/fixture-folder.ts';
import { type ControlConnection, ControlError } from '../control-connection.ts';
import { type EmulatorTool, OPERATION_TOOLS } from './operation-tools.ts';
import { ToolSet, unknownOperation } from './shown-tools.ts';

/** Tools and pages are those of the version that runs. */
const ONE_HOUR = { ttlMs: 3_600_000, cacheScope: 'public' } as const;
const CACHED = { 'tools/list': ONE_HOUR, 'resources/list': ONE_HOUR, 'resources/read': ONE_HOUR };

/** What there is without a command: the same for every server. */
const OPERATIONS = new ToolSet(OPERATION_TOOLS);

/**
 * A server of tools, each of which is one request to the control surface of an emulator that runs; a request ends when its
 * client cancels it or goes. A few are shown, and every other one is taken by its name too. `more` are tools that start a process: they are for standard input and output only.
 */
export function createToolServer(
  control: ControlConnection,
  version: string,
  more: readonly EmulatorTool[] = [],
): Server {
  const tools = more.length === 0 ? OPERATIONS : new ToolSet([...OPERATION_TOOLS, ...more]);
  const server = new Server(
    { name: 'svc-emulator', version },
    { capabilities: { tools: {}, resources: {} }, cacheHints: CACHED },
  );
  server.setRequestHandler('tools/list', () => ({ tools: tools.shown }));
  server.setRequestHandler('tools/call', ({ params }, { mcpReq: { signal } }) => {
    const tool = tools.all.find(({ name }) => name === params.name);
    if (tool) return use(tool, control.until(signal), params.arguments ?? {});
    return refusal(unknownOperation(params.name, tools.all));
  });
  server.setRequestHandler('resources/list', () => ({ resources: shippedPages() }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }));
  server.setRequestHandler('resources/read', ({ params: { uri } }) => ({ contents: [readPage(uri)] }));
  return server;
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

/** Throws `ResourceNotFoundError` for a URI that `resources/list` does not name. */
function readPage(uri: string): { uri: string; mimeType: string; text: string } {
  const page = shippedPages().find((each) => each.uri === uri);
  if (!page) {
    const remedy = 'resources/list names those there are.';
    throw new ResourceNotFoundError(uri, `There is no page ${quoted(uri)}. ${remedy}`);
  }
  return { uri, mimeType: page.mimeType, text: readFileSync(path.join(packageFolder(), page.name), 'utf8') };
}
