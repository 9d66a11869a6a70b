import { Client, InMemoryTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { ControlConnection } from '../../../src/control/control-connection.ts';
import { CONTROL_OPERATIONS } from '../../../src/control/control-routes.ts';
import { createToolServer } from '../../../src/control/mcp/tool-server.ts';
import { emptyFolder, MAIN } from '../../cli/spawned-program.ts';
import { type CommandRun, commandHere } from '../../support/command-here.ts';
import { expectError } from '../../support/wire.ts';
import { world } from '../../support/world.ts';

const emulator = await world();

const PORT = new URL(emulator.url).port;

/** A client of the MCP SDK, connected to a server in its own process. */
async function open(port: string, command: readonly string[] = [], cwd = process.cwd()) {
  const transport = new StdioClientTransport({
    ...{ command: process.execPath, args: [MAIN, 'mcp', '--port', port, ...command], cwd },
  });
  const client = new Client({ name: 'a test', version: '1.0.0' });
  await client.connect(transport);
  return client;
}

/** Tests of tools share one server, because it keeps no state between calls. */
const shared = await open(PORT);
afterAll(() => shared.close());

/** A server with a command that sends no requests. A path of Node would enlarge the tool descriptions. */
const withCommand = await open(PORT, ['--', 'node', '-e', '1'], emptyFolder());
afterAll(() => withCommand.close());

async function call(client: Client, name: string, given: Record<string, unknown> = {}) {
  const answer = await client.callTool({ name, arguments: given });
  const [part] = answer.content;
  if (part?.type !== 'text') throw new Error(`${name} answers no text`);
  const { text } = part;
  return { text, isError: answer.isError === true, value: () => JSON.parse(text) };
}

it('lists about a dozen MCP tools with their fields, in under 10 KB', async () => {
  const [{ tools }, { tools: more }] = [await shared.listTools(), await withCommand.listTools()];
  const names = tools.map(({ name }) => name);
  expect(names).toEqual([
    ...['create_account', 'wait_for', 'list_usage', 'list_requests', 'explain_request', 'judge_client'],
    ...['create_fault', 'advance_clock', 'find', 'call'],
  ]);
  expect(more.map(({ name }) => name)).toEqual(['check', 'run_command', ...names]);
  expect(JSON.stringify(more).length).toBeLessThan(10_000);
  expect(more.filter(({ description }) => !description)).toEqual([]);
  const wait = tools.find(({ name }) => name === 'wait_for');
  expect(wait?.inputSchema.required).toEqual(['for']);
  expect(wait?.annotations?.readOnlyHint).toBe(true);
});

it('finds control operations by words or by name with the MCP tool `find`, and returns the fields of the first results', async () => {
  const byWords = (await call(shared, 'find', { query: 'saved snapshots' })).value().operations;
  expect(byWords.map(({ name }: { name: string }) => name)).toContain('restore_snapshot');
  const [{ name, input }] = (await call(shared, 'find', { query: 'create_fault' })).value().operations;
  expect(name).toBe('create_fault');
  expect(JSON.stringify(input)).toContain('lost_response');
  const { names } = (await call(shared, 'find')).value();
  expect((await call(shared, 'find', { query: 'xylophone' })).value()).toEqual({ operations: [], names });
});

it('calls a control operation that is not in the list of MCP tools, and suggests the closest name for an unknown one', async () => {
  const account = await emulator.account({ credits: 3 });
  const fields = { id: account.id, amount: 5 };
  await call(shared, 'call', { name: 'top_up_credits', arguments: fields });
  expect(await account.ledger()).toEqual(['grant 3', 'top_up 5']);
  const refused = await call(shared, 'call', { name: 'topup_credits', arguments: fields });
  expect(refused).toMatchObject({
    isError: true,
    text: expect.stringMatching(/no operation "topup_credits".*\btop_up_credits\b/),
  });
  const wrong = await call(shared, 'call', { name: 'top_up_credits', arguments: { ...fields, amout: 5 } });
  expect(wrong).toMatchObject({ isError: true, text: expect.stringContaining('Did you mean amount?') });
  expect(await account.ledger()).toEqual(['grant 3', 'top_up 5']);
});

it('creates an account, makes a song fail, waits for it, and reads the ledger with MCP tools', async () => {
  const account = (await call(shared, 'create_account', { name: 'by a tool', credits: 50 })).value();
  const match = { account_id: account.id, path: '/v1/music' };
  await call(shared, 'create_fault', { match, effect: { fail_job: 'out_of_tune' } });
  const song = await emulator.call(
    'POST',
    '/v1/music/generations',
    { prompt: 'a waltz', seconds: 30, n: 1 },
    { authorization: `Bearer ${account.api_key}` },
  );
  const job = (await call(shared, 'wait_for', { for: `job:${song.body.data[0].id}` })).value();
  expect(job).toMatchObject({ status: 'failed', error: { code: 'out_of_tune' } });
  const ledger = (await call(shared, 'list_usage', { id: account.id })).value();
  expect(ledger.data.map(({ amount }: { amount: number }) => amount)).toEqual([3, -3, 50]);
  const faults = (await call(shared, 'list_faults', { account_id: account.id })).value();
  expect(faults.data[0].applied).toBe(1);
  const story = await call(shared, 'explain_request', {
    id: song.headers.get('x-request-id'),
  });
  expect(story.isError).toBe(false);
  expect(story.text).toContain('createSong');
});

it('passes on an error message of the emulator, and says if no emulator runs', async () => {
  const unknown = await call(shared, 'list_usage', { id: 'acct_none' });
  expect(unknown).toMatchObject({ isError: true, text: expect.stringMatching(/^404 not_found: /) });
  const wrong = await call(shared, 'advance_clock', { seconds: -1 });
  expect(wrong.isError).toBe(true);
  const alone = new Client({ name: 'a test', version: '1.0.0' });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await createToolServer(new ControlConnection('http://127.0.0.1:1'), '1.0.0').connect(far);
  await alone.connect(near);
  expect((await call(alone, 'get_clock')).text).toMatch(/^No emulator responds at .*:1\./);
});

it('offers over MCP every control operation that returns JSON or no body, except openSession', async () => {
  const tools: string[] = (await call(shared, 'find')).value().names;
  const wanted = CONTROL_OPERATIONS.filter(({ answer }) => typeof answer !== 'string' || answer === 'nothing');
  expect(tools).toHaveLength(wanted.length - 1);
  expect(tools).not.toContain('open_session');
  const names = ['judge_client', 'reset_emulator', 'save_snapshot', 'add_fixtures', 'create_flow', 'list_messages'];
  expect(tools).toEqual(expect.arrayContaining([...names, 'verify_receiver', 'set_progression']));
});

/** The work of the configured command, which each test sets. */
let work: (run: CommandRun) => Promise<unknown>;
const configured = await open(PORT, ['--', ...(await commandHere((run) => work(run)))], emptyFolder());
afterAll(() => configured.close());

it('runs only the configured command, and reports its result', async () => {
  work = async (run) => {
    const { status } = await run.call('POST', '/v1/images/generations', { prompt: 'a pier' });
    Object.assign(run, { out: `answered ${status}\n`, end: 'exit 3' });
  };
  const other = await call(configured, 'run_command', { command: 'echo hello' });
  expect(other).toMatchObject({ isError: true, text: expect.stringContaining('Unknown field command') });
  const run = (await call(configured, 'run_command', {})).value();
  expect(run).toMatchObject({ exit_code: 3, signal: null, timed_out: false, output: 'answered 200\n', requests: 1 });
  expect(run.verdict).toMatchObject({ account_id: run.account_id });
  const ledger = (await call(configured, 'list_usage', { id: run.account_id })).value();
  expect(ledger.data.map(({ amount }: { amount: number }) => amount)).toEqual([-10, 50]);
});

it('kills a command of an MCP tool that takes too long', async () => {
  work = () => new Promise(() => {});
  const run = (await call(configured, 'run_command', { timeout_seconds: 1 })).value();
  expect(run).toMatchObject({ timed_out: true, exit_code: null, signal: 'SIGKILL', credits_left: 50 });
});

it('checks the configured command, and confirms by a replay that a finding is fixed', {
  timeout: 180_000,
}, async () => {
  work = (run) => run.chat().catch(() => run.chat());
  const found = (await call(configured, 'check', { only: ['lost_response'], budget_seconds: 300 })).value();
  expect(found).toMatchObject({ exit: 1, findings_left: 0 });
  const [{ token: replay, check }] = found.findings;
  expect(check).toBe('pays-once');
  work = (run) => run.chat().catch(() => undefined);
  expect((await call(configured, 'check', { replay })).value().findings).toEqual([]);
});

it.each([
  [{ command: 'echo hello' }, 'Unknown field command'],
  [{ replay: 'c1-nonsense' }, 'which is not a token'],
  [{ only: ['lost_respons'] }, 'Did you mean lost_response?'],
  [{}, 'made no request to the emulator'],
])('rejects a check with %j (if empty, because no request is made), and says why', async (given, message) => {
  const refused = await call(withCommand, 'check', given);
  expect(refused).toMatchObject({ isError: true, text: expect.stringContaining(message) });
});

it('MCP offers tools that start a process only if a command is configured, and never over HTTP [I238]', async () => {
  const starting = expect.stringMatching(/^(?:run_command|check)$/);
  expect((await call(shared, 'find')).value().names).not.toContainEqual(starting);
  const client = new Client({ name: 'a test', version: '1.0.0' });
  await client.connect(overHttp());
  onTestFinished(() => client.close());
  expect((await call(client, 'find')).value().names).not.toContainEqual(starting);
});

it('offers the docs as MCP resources', async () => {
  const { resources } = await shared.listResources();
  expect(resources.map(({ name }) => name)).toEqual(expect.arrayContaining(['llms.txt', 'README.md']));
  const { contents } = await shared.readResource({ uri: 'svc-emulator://llms.txt' });
  expect(contents).toMatchObject([{ mimeType: 'text/plain', text: expect.stringMatching(/^# svc-emulator\n/) }]);
  const unknown = shared.readResource({ uri: 'svc-emulator://docs/none.md' });
  await expect(unknown).rejects.toThrow('There is no page "svc-emulator://docs/none.md"');
});

it.each<[string, Record<string, string>, number, string]>([
  ['a foreign Origin', { origin: 'https://evil.example' }, 403, 'forbidden_origin'],
  ['a body that is no JSON', { 'content-type': 'text/plain' }, 415, 'unsupported_media_type'],
])('rejects %s at /_emulator/mcp [I238]', async (_what, headers, status, code) => {
  const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  const answer = await emulator.call('POST', '/_emulator/mcp', message, {
    'content-type': 'application/json',
    ...headers,
  });
  expect(expectError(answer, status, code).message).toMatch(/\S/);
});

it('rejects clients without the control token at /_emulator/mcp if --host is not loopback [I238]', async () => {
  const beyond = await world({ host: '0.0.0.0', controlToken: 'secret-enough' });
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  expectError(await beyond.call('POST', '/_emulator/mcp', message), 401, 'missing_api_key');
  const headers = { authorization: 'Bearer secret-enough', accept: 'application/json, text/event-stream' };
  const answer = await beyond.call('POST', '/_emulator/mcp', message, headers);
  expect([answer.status, answer.body.result.tools.length > 9]).toEqual([200, true]);
});

const MIB = 1_048_576;

const STATELESS = '2026-07-28';
const ACCEPT = { accept: 'application/json, text/event-stream' };

function post(method: string, params: Record<string, unknown>, headers: Record<string, string> = {}) {
  const message = { jsonrpc: '2.0', id: 1, method, params };
  return emulator.call('POST', '/_emulator/mcp', message, { ...ACCEPT, ...headers });
}

it('rejects an MCP message of more than 8 MiB, and does nothing', async () => {
  const { id } = await emulator.account();
  const element = { account_id: id, handle: 'mara', kind: 'character', name: 'Mara' };
  const create = (image: string) => post('tools/call', { name: 'create_element', arguments: { ...element, image } });
  const image = `data:image/png;base64,${'A'.repeat(2 * MIB)}`;
  const accepted = await create(image);
  expect(accepted.status).toBe(200);
  expect(accepted.body.result.content[0].text).not.toContain('payload_too_large');
  expect(expectError(await create(image.repeat(4)), 413, 'payload_too_large').message).toContain('8 MiB');
  expect((await emulator.control('GET', `/elements?account_id=${id}`)).body.data).toEqual([]);
});

const overHttp = () => new StreamableHTTPClientTransport(new URL(`${emulator.url}/_emulator/mcp`));
const overStdio = () => new StdioClientTransport({ command: process.execPath, args: [MAIN, 'mcp', '--port', PORT] });

it.each([
  ['HTTP', 'a client of the stateless revision', overHttp, 'auto', STATELESS],
  ['standard input', 'a client of the stateless revision', overStdio, 'auto', STATELESS],
  // The other tests use older clients over standard input.
  ['HTTP', 'an older client', overHttp, 'legacy', '2025-11-25'],
] as const)('serves MCP over %s to %s, with structured responses', async (_way, _client, transport, mode, revision) => {
  const client = new Client({ name: 'a test', version: '1.0.0' }, { versionNegotiation: { mode } });
  await client.connect(transport());
  onTestFinished(() => client.close());
  expect(client.getNegotiatedProtocolVersion()).toBe(revision);
  const listed = await client.listTools();
  expect(listed.tools.map(({ name }) => name)).toContain('create_account');
  expect(listed).toMatchObject(revision === STATELESS ? { ttlMs: 3_600_000 } : {});
  const made = await client.callTool({ name: 'create_account', arguments: { credits: 70 } });
  expect(made.structuredContent).toMatchObject({ api_key: expect.any(String), credits: 70 });
  const { id } = made.structuredContent as { id: string };
  const { body } = await emulator.control('GET', `/accounts/${id}`);
  expect(body.credits).toBe(70);
});

it('rejects an MCP request whose header names the stateless revision but whose body does not, and does nothing', async () => {
  const account = await emulator.account({ credits: 3 });
  const order = { name: 'top_up_credits', arguments: { id: account.id, amount: 5 }, _meta: {} };
  const headers = { 'mcp-protocol-version': STATELESS, 'mcp-method': 'tools/call', 'mcp-name': order.name };
  const bare = await post('tools/call', order, headers);
  expect([bare.status, bare.body.error.code]).toEqual([400, -32602]);
  expect(await account.ledger()).toEqual(['grant 3']);
});
