import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, it, onTestFinished } from 'vitest';
import { MAIN } from '../../cli/spawned-program.ts';
import { world } from '../../support/world.ts';

const emulator = await world();
const ADDRESS = `${emulator.url}/_emulator/mcp`;

const STATELESS = '2026-07-28';
const ACCEPT = { accept: 'application/json, text/event-stream' };

/** A request of the stateless revision: all that it needs is in itself. */
function send(method: string, params: Record<string, unknown> = {}, id: string | number = 1) {
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': STATELESS,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const name = params.name ?? params.uri;
  return emulator.call(
    'POST',
    '/_emulator/mcp',
    { jsonrpc: '2.0', id, method, params: { ...params, _meta: envelope } },
    {
      ...ACCEPT,
      ...{ 'mcp-protocol-version': STATELESS, 'mcp-method': method },
      ...(name === undefined ? {} : { 'mcp-name': String(name) }),
    },
  );
}

const overHttp = () => new StreamableHTTPClientTransport(new URL(ADDRESS));
const overStdio = () =>
  new StdioClientTransport({ command: process.execPath, args: [MAIN, 'mcp', '--port', new URL(emulator.url).port] });

it.each([
  ['HTTP', 'a client of the stateless revision', overHttp, 'auto', STATELESS],
  ['standard input', 'a client of the stateless revision', overStdio, 'auto', STATELESS],
  // The other tests are older clients over standard input.
  ['HTTP', 'an older client', overHttp, 'legacy', '2025-11-25'],
] as const)('serves MCP over %s to %s, with structured responses', async (_way, _client, transport, mode, revision) => {
  const client = new Client({ name: 'a test', version: '1.0.0' }, { versionNegotiation: { mode } });
  await client.connect(transport());
  onTestFinished(() => client.close());
  expect(client.getNegotiatedProtocolVersion()).toBe(revision);
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('create_account');
  const made = await client.callTool({ name: 'create_account', arguments: { credits: 70 } });
  expect(made.structuredContent).toMatchObject({ api_key: expect.any(String), credits: 70 });
  const { id } = made.structuredContent as { id: string };
  const { body } = await emulator.control('GET', `/accounts/${id}`);
  expect(body.credits).toBe(70);
});

it('accepts requests of the stateless revision without a handshake', async () => {
  const { body } = await send('server/discover');
  expect(body.result).toMatchObject({
    supportedVersions: [STATELESS],
    capabilities: { tools: {}, resources: {} },
    _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'svc-emulator' } },
  });
  const account = await emulator.account({ credits: 3 });
  const read = await send('tools/call', { name: 'list_usage', arguments: { id: account.id } });
  expect(read.body.result).toMatchObject({ resultType: 'complete', structuredContent: { data: [{ amount: 3 }] } });
  expect(read.headers.get('mcp-session-id')).toBe(null);
  const page = await send('resources/read', { uri: 'svc-emulator://llms.txt' });
  expect(page.body.result).toMatchObject({ ttlMs: 3_600_000, contents: [{ mimeType: 'text/plain' }] });
});

it('rejects an MCP request whose header names the stateless revision but whose body does not, and does nothing', async () => {
  const account = await emulator.account({ credits: 3 });
  const params = { name: 'top_up_credits', arguments: { id: account.id, amount: 5 }, _meta: {} };
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  const headers = {
    ...ACCEPT,
    'mcp-protocol-version': STATELESS,
    'mcp-method': 'tools/call',
    'mcp-name': 'top_up_credits',
  };
  const bare = await emulator.call('POST', '/_emulator/mcp', message, headers);
  expect([bare.status, bare.body.error.code]).toEqual([400, -32602]);
  expect(await account.ledger()).toEqual(['grant 3']);
});

it('returns the same tools to each tools/list, with the id of the request', async () => {
  const [first, second] = [await send('tools/list', {}, 7), await send('tools/list', {}, 'eight')];
  expect([first.body.id, second.body.id]).toEqual([7, 'eight']);
  expect(second.body.result).toEqual(first.body.result);
});
