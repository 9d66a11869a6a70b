import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, it, onTestFinished } from 'vitest';
import { world } from '../support/world.ts';

const MAIN = path.join(import.meta.dirname, '..', '..', 'dist', 'main.js');
const emulator = await world();

/** The SDK's own client, with the server in a process of its own. */
async function connect(port = new URL(emulator.url).port) {
  const transport = new StdioClientTransport({
    ...{ command: process.execPath, args: [MAIN, 'mcp', '--port', port] },
  });
  const client = new Client({ name: 'a test', version: '1.0.0' });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

async function call(client: Client, name: string, given: Record<string, unknown> = {}) {
  const answer = await client.callTool({ name, arguments: given });
  const [{ text }] = answer.content as [{ text: string }];
  return { text, isError: answer.isError === true, value: () => JSON.parse(text) };
}

it('lists its tools with what they take', async () => {
  const client = await connect();
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      'create_account',
      'read_ledger',
      'advance_clock',
      'add_fault',
      'wait_for',
      'redeliver',
      'explain_request',
    ]),
  );
  expect(tools.filter(({ description }) => !description)).toEqual([]);
  const wait = tools.find(({ name }) => name === 'wait_for');
  expect(wait?.inputSchema.required).toEqual(['for']);
  expect(wait?.annotations?.readOnlyHint).toBe(true);
});

it('opens an account, makes a song fail, waits for it and reads the ledger', async () => {
  const client = await connect();
  const account = (await call(client, 'create_account', { name: 'by a tool', credits: 50 })).value();
  const match = { account_id: account.id, path: '/v1/music' };
  await call(client, 'add_fault', { match, effect: { fail_job: 'out_of_tune' } });
  const song = await emulator.call(
    'POST',
    '/v1/music/generations',
    { prompt: 'a waltz', seconds: 30, n: 1 },
    { authorization: `Bearer ${account.api_key}` },
  );
  const job = (await call(client, 'wait_for', { for: `job:${song.body.data[0].id}` })).value();
  expect(job).toMatchObject({ status: 'failed', error: { code: 'out_of_tune' } });
  const ledger = (await call(client, 'read_ledger', { account_id: account.id })).value();
  expect(ledger.data.map(({ amount }: { amount: number }) => amount)).toEqual([3, -3, 50]);
  const faults = (await call(client, 'list_faults', { account_id: account.id })).value();
  expect(faults.data[0].strikes).toBe(1);
  const story = await call(client, 'explain_request', {
    request_id: song.headers.get('x-request-id'),
  });
  expect(story.isError).toBe(false);
  expect(story.text).toContain('createSong');
});

it('sends a delivery once more', async () => {
  const client = await connect();
  const account = await emulator.account({ credits: 50 });
  const url = `${emulator.url}/_emulator/inbox/mcp`;
  await account.post('/webhooks', { url, events: ['image.generation.succeeded'] });
  await account.post('/images/generations', { prompt: 'a pier' });
  await call(client, 'wait_for', {
    for: 'delivery:image.generation.succeeded',
    account_id: account.id,
  });
  const [delivery] = (await call(client, 'list_deliveries', { account_id: account.id })).value().data;
  await call(client, 'redeliver', { delivery_id: delivery.id });
  await call(client, 'wait_for', { for: 'idle', account_id: account.id });
  const { body } = await emulator.control('GET', '/inbox/mcp/messages');
  expect(body.data).toHaveLength(2);
  expect(await account.ledger()).toEqual(['grant 50', 'charge -10']);
});

it('passes an error on as the emulator tells it, and says when none runs', async () => {
  const client = await connect();
  const unknown = await call(client, 'read_ledger', { account_id: 'acct_none' });
  expect(unknown).toMatchObject({ isError: true, text: expect.stringMatching(/^404 not_found: /) });
  const wrong = await call(client, 'advance_clock', { seconds: -1 });
  expect(wrong.isError).toBe(true);
  const alone = await connect('1');
  expect((await call(alone, 'read_clock')).text).toMatch(/^No emulator answers at .*:1\./);
});

it('serves what a language model has to know', async () => {
  const { status, headers, bytes } = await emulator.call('GET', '/llms.txt');
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(bytes.toString()).toMatch(/^# svc-emulator\n/);
});
