import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { EVENT_TYPES } from '../../src/engine/webhooks/event-schemas.ts';
import { subscribe } from '../support/receiver.ts';
import { expectError } from '../support/wire.ts';
import { type TestAccount, World, world } from '../support/world.ts';

const emulator = await world();
const TYPE = 'image.generation.succeeded';

it('creates an endpoint of a workspace without a key of the service, shows its secret once, and deletes the endpoint [I090]', async () => {
  const account = await emulator.account();
  const order = { url: 'http://127.0.0.1:9/', workspace_id: account.workspaceId };
  const made = await emulator.control('POST', '/endpoints', { ...order, events: [TYPE] });
  expect(made.status).toBe(201);
  expect(made.body).toMatchObject({ ...order, events: [TYPE], secret: expect.any(String) });
  const listed = await emulator.control('GET', `/endpoints?account_id=${account.id}`);
  const { secret: _, ...known } = made.body;
  expect(listed.body.data).toEqual([known]);
  expect((await account.get('/webhooks')).body.webhooks).toHaveLength(1);

  const removed = await emulator.control('DELETE', `/endpoints/${made.body.id}`);
  expect(removed.status).toBe(204);
  expect((await account.get('/webhooks')).body.webhooks).toEqual([]);
  expect(await account.ledger()).toEqual(['grant 50']);
});

it('subscribes an inbox to every type of event by default, and lists event, delivery and message [I090 I091]', async () => {
  const account = await emulator.account();
  const order = { inbox: 'mine', workspace_id: account.workspaceId };
  const { body: endpoint } = await emulator.control('POST', '/endpoints', order);
  expect(endpoint.events).toEqual(EVENT_TYPES);
  const trigger = { type: TYPE, workspace_id: account.workspaceId };
  const { id } = (await emulator.control('POST', '/events/trigger', trigger)).body;
  const final = await emulator.wait(`delivery:${TYPE}`, { account_id: account.id });
  const { for: _, ...delivery } = final.body;
  expect(delivery).toMatchObject({ event_id: id, status: 'delivered', endpoint_id: endpoint.id });
  expect((await emulator.control('GET', `/deliveries/${delivery.id}`)).body).toMatchObject(delivery);
  const listed = await emulator.control('GET', `/events?account_id=${account.id}`);
  expect(listed.body.data).toMatchObject([{ id, type: TYPE }]);
  expect(await messages('mine')).toHaveLength(1);
});

it('delivers to its own inbox even if --host is not loopback [I091 I095]', async () => {
  const { emulator: far } = await world({ host: '0.0.0.0', controlToken: 'a-token-of-the-test' });
  const near = new World({ ...far, url: far.url.replace('0.0.0.0', '127.0.0.1') });
  const ask = (method: string, path: string, body?: object) =>
    near.call(method, `/_emulator${path}`, body, { authorization: 'Bearer a-token-of-the-test' });
  expect((await ask('POST', '/endpoints', { inbox: 'mine' })).status).toBe(201);
  await ask('POST', '/events/trigger', { type: TYPE });
  const { body } = await ask('GET', `/wait?for=delivery:${TYPE}`);
  expect([body.status, body.response_status]).toEqual(['delivered', 200]);
});

it.each([
  ['neither URL nor inbox', {}, 'url'],
  ['both URL and inbox', { url: 'http://127.0.0.1:9/', inbox: 'mine' }, 'url'],
  ['a space in the name of its inbox', { inbox: 'a b' }, 'inbox'],
  ['an empty list of event types', { inbox: 'mine', events: [] }, 'events'],
])('rejects an endpoint with %s, and names the field [I006]', async (_, order, param) => {
  const answer = await emulator.control('POST', '/endpoints', order);
  expectError(answer, 400, 'invalid_request', param);
});

it.each(EVENT_TYPES)('delivers a triggered %s to its endpoint, and charges nothing [I090 I194]', async (type) => {
  const account = await emulator.account({ plan: 'studio' });
  const { receiver } = await subscribe(account, [type]);
  const order = { type, workspace_id: account.workspaceId };
  const { status, body } = await emulator.control('POST', '/events/trigger', order);
  expect(status).toBe(202);
  const [delivered] = await receiver.received(1);
  expect(JSON.parse(delivered?.body ?? '')).toMatchObject({ id: body.id, type });
  expect(await account.events()).toEqual([type]);
  expect(await account.ledger()).toEqual(['grant 50']);
});

it.each([
  [{ type: 'image.generation.lost' }, 400, 'type'],
  [{ type: 'image.generation.failed', workspace_id: 'ws_none' }, 404, 'workspace_id'],
])('rejects the control operation that triggers an event if its body is %j [I090]', async (order, status, param) => {
  const answer = await emulator.control('POST', '/events/trigger', order);
  expect(answer.status).toBe(status);
  expect(answer.body.error.param).toBe(param);
});

const messages = async (name: string, query = '') =>
  (await emulator.control('GET', `/inbox/${name}/messages${query}`)).body.data;

/** An endpoint whose URL is an inbox, and an event sent to it; answers the delivery once it is final. */
async function deliver(account: TestAccount, path: string) {
  const { body } = await account.post('/webhooks', { url: emulator.url + path, events: [TYPE] });
  const order = { type: TYPE, workspace_id: account.workspaceId };
  const event = (await emulator.control('POST', '/events/trigger', order)).body.id;
  const final = await emulator.control('GET', `/wait?for=delivery:${TYPE}&account_id=${account.id}`);
  return { endpoint: body.id, event, delivery: final.body };
}

it('receives a delivery in an inbox with its exact body and a valid signature [I091]', async () => {
  const account = await emulator.account();
  const { endpoint, event, delivery } = await deliver(account, '/_emulator/inbox/ana');
  expect(delivery).toMatchObject({ status: 'delivered', response_status: 200 });
  const [message] = await messages('ana');
  const [recorded] = (await emulator.control('GET', `/events?account_id=${account.id}`)).body.data;
  expect(message).toMatchObject({
    ...{ inbox: 'ana', method: 'POST', path: '/_emulator/inbox/ana' },
    body: JSON.stringify(recorded.envelope),
    body_base64: null,
    signature: { verified: true, endpoint_id: endpoint, reason: null },
    received_at: expect.stringMatching(/^\d{4}-.*Z$/),
  });
  expect(message.headers['svc-emulator-event']).toBe(event);
  expect(await account.ledger()).toEqual(['grant 50']);
});

it.each([
  ['PUT', 'text/plain', 'hello', 'hello', null],
  ['PATCH', 'application/octet-stream', Buffer.from([0xff, 0x00]), null, '/wA='],
  ['DELETE', 'text/plain', undefined, '', null],
  ['GET', '', undefined, '', null],
])(
  'stores a %s request with the content type %j in an inbox with its exact body [I091]',
  async (method, type, sent, body, base64) => {
    const name = `any-${method}`;
    const headers: Record<string, string> = type ? { 'content-type': type } : {};
    const answer = await emulator.call(method, `/_emulator/inbox/${name}?a=b`, sent, headers);
    expect(answer.body).toEqual({ id: expect.stringMatching(/^msg_/), inbox: name });
    const [message] = await messages(name);
    expect(message).toMatchObject({
      ...{ id: answer.body.id, method, body, body_base64: base64 },
      path: `/_emulator/inbox/${name}?a=b`,
      signature: { verified: null, endpoint_id: null, reason: 'no svc-signature header' },
    });
  },
);

it('explains why the signature of a forged message is not valid [I091]', async () => {
  await deliver(await emulator.account(), '/_emulator/inbox/forged');
  const forge = (header: string, body: string) =>
    emulator.call('POST', '/_emulator/inbox/forged', body, { 'svc-signature': header });
  const [genuine] = await messages('forged');
  await forge(genuine.headers['svc-signature'], `${genuine.body} `);
  await forge('t=1', genuine.body);
  const [broken, altered] = await messages('forged', '?limit=2');
  expect(altered.signature).toMatchObject({ verified: false, endpoint_id: null });
  expect(altered.signature.reason).toContain('No v1 of the header matches');
  expect(broken.signature.reason).toContain('header must be t=<unix>,v1=<hex>');
});

it('returns the status in the URL of an inbox, so that a failed delivery can be tested [I091]', async () => {
  const { delivery } = await deliver(await emulator.account(), '/_emulator/inbox/down?status=503');
  expect(delivery).toMatchObject({ status: 'failed', response_status: 503 });
  const [message] = await messages('down');
  expect(message.signature.verified).toBe(true);
});

it.each(['99', '700', 'x', '200&status=200'])('rejects the status %s in the URL of an inbox [I091]', async (status) => {
  expectError(
    await emulator.call('POST', `/_emulator/inbox/bad?status=${status}`, 'x'),
    400,
    'invalid_request',
    'status',
  );
  expect(await messages('bad')).toEqual([]);
});

it('lists the messages of an inbox in pages, newest first [I091]', async () => {
  for (const text of ['one', 'two', 'three']) {
    await emulator.call('POST', '/_emulator/inbox/pages', text);
    await emulator.call('POST', '/_emulator/inbox/other', text);
  }
  const bodies = (found: { body: string }[]) => found.map(({ body }) => body);
  const [third] = await messages('pages', '?limit=1');
  expect(bodies(await messages('pages', `?after=${third.id}`))).toEqual(['two', 'one']);
  expectError(await emulator.control('GET', '/inbox/other/messages?after=msg_none'), 400, 'invalid_request', 'after');
  expect(bodies(await messages('other'))).toEqual(['three', 'two', 'one']);
});

it('accepts messages of up to 8 MiB, and keeps the newest 32 MiB of all inboxes [I091]', async () => {
  const large = Buffer.alloc(8 * 1_048_576, 'x');
  await emulator.call('POST', '/_emulator/inbox/small', 'x');
  for (let n = 0; n < 5; n += 1) await emulator.call('POST', '/_emulator/inbox/large', large);
  expect([await messages('large'), await messages('small')].map(({ length }) => length)).toEqual([4, 0]);
  const tooLarge = await emulator.call('POST', '/_emulator/inbox/large', Buffer.concat([large, large]));
  expectError(tooLarge, 413, 'payload_too_large');
});

it('rejects messages from web pages, and an invalid inbox name [I091 I095]', async () => {
  const foreign = { origin: 'https://example.com' };
  const answer = await emulator.call('POST', '/_emulator/inbox/x', 'y', foreign);
  expectError(answer, 403, 'forbidden_origin');
  expectError(await emulator.call('POST', '/_emulator/inbox/a.b', 'y'), 400, 'invalid_request');
  expectError(await emulator.control('GET', '/inbox/a.b/messages'), 400, 'invalid_request');
  expectError(await emulator.control('PUT', '/inbox/x/messages'), 405, 'method_not_allowed');
});

it('waits for messages of an inbox one by one [I091 I137]', async () => {
  const wait = (query: string) => emulator.control('GET', `/wait?for=inbox:awaited&${query}`);
  const send = (text: string) => emulator.call('POST', '/_emulator/inbox/awaited', text);
  await emulator.call('POST', '/_emulator/inbox/awaited-too', 'not this one');
  const { message: vain } = expectError(await wait('timeout=0'), 408, 'timeout');
  expect(vain).toContain('the inbox is empty');

  const first = wait('timeout=120');
  await send('one');
  expect((await first).body).toMatchObject({ for: 'inbox:awaited', body: 'one' });
  expect((await wait('timeout=0')).body).toEqual((await first).body);
  const second = wait(`timeout=120&after=${(await first).body.id}`);
  await send('two');
  await send('three');
  expect((await second).body.body).toBe('two');
  const third = await wait(`timeout=0&after=${(await second).body.id}`);
  expect(third.body.body).toBe('three');
  expectError(await wait(`timeout=0&after=${third.body.id}`), 408, 'timeout');
  expectError(await wait('after=msg_none'), 400, 'invalid_request', 'after');
  expectError(await emulator.control('GET', '/wait?for=inbox:a.b'), 400, 'invalid_request', 'for');
});

it('waits for a genuine message of an inbox if `genuine` is true, and otherwise accepts an unsigned message [I091 I137]', async () => {
  const wait = (query: string) => emulator.control('GET', `/wait?for=inbox:proven&${query}`);
  await emulator.call('POST', '/_emulator/inbox/proven', 'unsigned');
  const { message: vain } = expectError(await wait('timeout=0&genuine=true'), 408, 'timeout');
  expect(vain).toContain('and not genuine (no svc-signature header); genuine=false accepts it too');
  const first = wait('timeout=120&genuine=true');
  await deliver(await emulator.account(), '/_emulator/inbox/proven');
  const { body: genuine } = await first;
  expect(genuine.signature.verified).toBe(true);
  for (const query of ['', '&genuine=false']) {
    expect((await wait(`timeout=0${query}`)).body).toMatchObject({ body: 'unsigned' });
  }
  expectError(await wait(`timeout=0&genuine=true&after=${genuine.id}`), 408, 'timeout');
});

it('cancels the test of a receiver that does not respond if the state is reset', async () => {
  const silent = createServer((socket) => socket.on('error', () => undefined).resume()).listen(0, '127.0.0.1');
  onTestFinished(() => void silent.close());
  await once(silent, 'listening');
  const { port } = silent.address() as { port: number };
  const order = { url: `http://127.0.0.1:${port}/`, secret: 'whsec_x', timeout_seconds: 30 };
  const asked = once(silent, 'connection');
  const card = emulator.control('POST', '/verify', order);
  const [socket] = await asked;
  const left = once(socket, 'close');
  expect((await emulator.control('POST', '/reset')).status).toBe(204);
  const { status, body } = await card;
  expect([status, body.checks, body.error.message]).toEqual([502, undefined, expect.stringContaining('was reset')]);
  // Nothing more is sent to it.
  await left;
});
