import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { EVENT_TYPES } from '../../src/engine/webhooks/event-schemas.ts';
import { expectError } from '../support/wire.ts';
import { world } from '../support/world.ts';

const emulator = await world();
const TYPE = 'image.generation.succeeded';

it('subscribes an inbox to every type of event by default, and delivers each triggered type with exact body and valid signature, without a charge [I090 I091 I194]', async () => {
  const account = await emulator.account({ plan: 'studio' });
  const owner = { workspace_id: account.workspaceId };
  const { body: endpoint } = await emulator.control('POST', '/endpoints', { inbox: 'mine', ...owner });
  expect(endpoint.events).toEqual(EVENT_TYPES);
  for (const type of EVENT_TYPES) {
    expect((await emulator.control('POST', '/events/trigger', { type, ...owner })).status).toBe(202);
  }
  await account.delivered();
  expect(await account.events()).toEqual(EVENT_TYPES);
  const final = await emulator.wait(`delivery:${TYPE}`, { account_id: account.id });
  const { for: _, ...delivery } = final.body;
  expect(delivery).toMatchObject({ status: 'delivered', response_status: 200, endpoint_id: endpoint.id });
  expect((await emulator.control('GET', `/deliveries/${delivery.id}`)).body).toMatchObject(delivery);
  const sent = (await account.envelopes()).map((envelope) => ({
    ...{ inbox: 'mine', method: 'POST', path: '/_emulator/inbox/mine', body_base64: null },
    body: JSON.stringify(envelope),
    headers: { 'svc-emulator-event': envelope.id },
    signature: { verified: true, endpoint_id: endpoint.id, reason: null },
    received_at: expect.stringMatching(/^\d{4}-.*Z$/),
  }));
  expect((await messages('mine')).toReversed()).toMatchObject(sent);
  expect(await account.ledger()).toEqual(['grant 50']);
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

/** Sends an event of a new account to an inbox, and returns the delivery once it is final. */
async function deliver(path: string) {
  const account = await emulator.account();
  await account.post('/webhooks', { url: emulator.url + path, events: [TYPE] });
  await emulator.control('POST', '/events/trigger', { type: TYPE, workspace_id: account.workspaceId });
  return (await emulator.wait(`delivery:${TYPE}`, { account_id: account.id })).body;
}

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
  await deliver('/_emulator/inbox/forged');
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
  const delivery = await deliver('/_emulator/inbox/down?status=503');
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

it('accepts messages of up to 8 MiB, and keeps the newest 32 MiB of all inboxes [I091]', async () => {
  const large = Buffer.alloc(8 * 1_048_576, 'x');
  await emulator.call('POST', '/_emulator/inbox/small', 'x');
  for (let n = 0; n < 5; n += 1) await emulator.call('POST', '/_emulator/inbox/large', large);
  expect([await messages('large'), await messages('small')].map(({ length }) => length)).toEqual([4, 0]);
  const tooLarge = await emulator.call('POST', '/_emulator/inbox/large', Buffer.concat([large, large]));
  expectError(tooLarge, 413, 'payload_too_large');
});

it('rejects a message to an inbox from a web page of another origin, and an invalid inbox name [I091 I095]', async () => {
  const foreign = { origin: 'https://example.com' };
  const answer = await emulator.call('POST', '/_emulator/inbox/x', 'y', foreign);
  expectError(answer, 403, 'forbidden_origin');
  expectError(await emulator.call('POST', '/_emulator/inbox/a.b', 'y'), 400, 'invalid_request');
  expectError(await emulator.control('GET', '/inbox/a.b/messages'), 400, 'invalid_request');
  expectError(await emulator.control('PUT', '/inbox/x/messages'), 405, 'method_not_allowed');
});

it('cancels, at a reset, the test of a webhook receiver that does not respond', async () => {
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
  // The emulator closes its connection to the receiver.
  await left;
});
