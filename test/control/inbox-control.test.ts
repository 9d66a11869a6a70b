import { expect, it } from 'vitest';
import { expectError } from '../support/wire.ts';
import { type TestAccount, world } from '../support/world.ts';

const here = await world();
const TYPE = 'image.generation.succeeded';

const messages = async (name: string, query = '') =>
  (await here.control('GET', `/inbox/${name}/messages${query}`)).body.data;

/** An endpoint whose URL is an inbox, and an event sent to it; answers the delivery once it is final. */
async function deliver(account: TestAccount, path: string) {
  const { body } = await account.post('/webhooks', { url: here.url + path, events: [TYPE] });
  const order = { type: TYPE, workspace_id: account.workspaceId };
  const event = (await here.control('POST', '/events/trigger', order)).body.id;
  const final = await here.control('GET', `/wait?for=delivery:${TYPE}&account_id=${account.id}`);
  return { endpoint: body.id, event, delivery: final.body };
}

it('receives a delivery with its exact body and a signature that verifies [I091]', async () => {
  const account = await here.account();
  const { endpoint, event, delivery } = await deliver(account, '/_emulator/inbox/ana');
  expect(delivery).toMatchObject({ status: 'delivered', response_status: 200 });
  const [message] = await messages('ana');
  const [recorded] = (await here.control('GET', `/events?account_id=${account.id}`)).body.data;
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
])('takes a %s of %j as it is [I091]', async (method, type, sent, body, base64) => {
  const name = `any-${method}`;
  const headers: Record<string, string> = type ? { 'content-type': type } : {};
  const answer = await here.call(method, `/_emulator/inbox/${name}?a=b`, sent, headers);
  expect(answer.body).toEqual({ id: expect.stringMatching(/^msg_/), inbox: name });
  const [message] = await messages(name);
  expect(message).toMatchObject({
    ...{ id: answer.body.id, method, body, body_base64: base64 },
    path: `/_emulator/inbox/${name}?a=b`,
    signature: { verified: null, endpoint_id: null, reason: 'no svc-signature header' },
  });
});

it('says of a forged message that it does not verify, and why [I091]', async () => {
  await deliver(await here.account(), '/_emulator/inbox/forged');
  const forge = (header: string, body: string) =>
    here.call('POST', '/_emulator/inbox/forged', body, { 'svc-signature': header });
  const [genuine] = await messages('forged');
  await forge(genuine.headers['svc-signature'], `${genuine.body} `);
  await forge('t=1', genuine.body);
  const [broken, altered] = await messages('forged', '?limit=2');
  expect(altered.signature).toMatchObject({ verified: false, endpoint_id: null });
  expect(altered.signature.reason).toContain('No v1 of the header fits');
  expect(broken.signature.reason).toContain('t=<unix>,v1=<hex> was expected');
});

it('answers as the URL asks, so that a failed delivery can be tried [I091]', async () => {
  const { delivery } = await deliver(await here.account(), '/_emulator/inbox/down?status=503');
  expect(delivery).toMatchObject({ status: 'failed', response_status: 503 });
  const [message] = await messages('down');
  expect(message.signature.verified).toBe(true);
});

it.each(['99', '700', 'x', '200&status=200'])('refuses the status %s [I091]', async (status) => {
  expectError(await here.call('POST', `/_emulator/inbox/bad?status=${status}`, 'x'), 400, 'invalid_request', 'status');
  expect(await messages('bad')).toEqual([]);
});

it('lists an inbox newest first by pages, and empties it alone [I091]', async () => {
  for (const text of ['one', 'two', 'three']) {
    await here.call('POST', '/_emulator/inbox/pages', text);
    await here.call('POST', '/_emulator/inbox/other', text);
  }
  const bodies = (found: { body: string }[]) => found.map(({ body }) => body);
  const [third] = await messages('pages', '?limit=1');
  expect(bodies(await messages('pages', `?after=${third.id}`))).toEqual(['two', 'one']);
  expectError(await here.control('GET', '/inbox/other/messages?after=msg_none'), 400, 'invalid_request', 'after');
  expect((await here.control('DELETE', '/inbox/pages/messages')).status).toBe(204);
  expect(await messages('pages')).toEqual([]);
  expect(bodies(await messages('other'))).toEqual(['three', 'two', 'one']);
});

it('takes bodies up to 8 MiB, and keeps the newest 32 MiB of all inboxes [I091]', async () => {
  const large = Buffer.alloc(8 * 1_048_576, 'x');
  for (let n = 0; n < 5; n += 1) await here.call('POST', '/_emulator/inbox/large', large);
  expect(await messages('large')).toHaveLength(4);
  const tooLarge = await here.call('POST', '/_emulator/inbox/large', Buffer.concat([large, large]));
  expectError(tooLarge, 413, 'payload_too_large');
  await here.control('DELETE', '/inbox/large/messages');
});

it('is no place for web pages, and refuses a name that is none [I091 I095]', async () => {
  const foreign = { origin: 'https://example.com' };
  const answer = await here.call('POST', '/_emulator/inbox/x', 'y', foreign);
  expectError(answer, 403, 'forbidden_origin');
  expectError(await here.call('POST', '/_emulator/inbox/a.b', 'y'), 400, 'invalid_request');
  expectError(await here.control('GET', '/inbox/a.b/messages'), 400, 'invalid_request');
  expectError(await here.control('PUT', '/inbox/x/messages'), 405, 'method_not_allowed');
});

it('can be waited for, message by message [I091 I137]', async () => {
  const wait = (query: string) => here.control('GET', `/wait?for=inbox:awaited&${query}`);
  const send = (text: string) => here.call('POST', '/_emulator/inbox/awaited', text);
  await here.call('POST', '/_emulator/inbox/awaited-too', 'not this one');
  const { message: vain } = expectError(await wait('timeout=0'), 408, 'timeout');
  expect(vain).toContain('the inbox is empty');

  const first = wait('timeout=30');
  await send('one');
  expect((await first).body).toMatchObject({ for: 'inbox:awaited', body: 'one' });
  expect((await wait('timeout=0')).body).toEqual((await first).body);
  const second = wait(`timeout=30&after=${(await first).body.id}`);
  await send('two');
  await send('three');
  expect((await second).body.body).toBe('two');
  const third = await wait(`timeout=0&after=${(await second).body.id}`);
  expect(third.body.body).toBe('three');
  expectError(await wait(`timeout=0&after=${third.body.id}`), 408, 'timeout');
  expectError(await wait('after=msg_none'), 400, 'invalid_request', 'after');
  expectError(await here.control('GET', '/wait?for=inbox:a.b'), 400, 'invalid_request', 'for');
});

it('can be waited for by the genuine message alone [I091 I137]', async () => {
  const wait = (query: string) => here.control('GET', `/wait?for=inbox:proven&${query}`);
  await here.call('POST', '/_emulator/inbox/proven', 'unsigned');
  const { message: vain } = expectError(await wait('timeout=0&genuine=true'), 408, 'timeout');
  expect(vain).toContain('and not genuine (no svc-signature header); genuine=false takes it too');
  const first = wait('timeout=30&genuine=true');
  await deliver(await here.account(), '/_emulator/inbox/proven');
  const { body: genuine } = await first;
  expect(genuine.signature.verified).toBe(true);
  for (const query of ['', '&genuine=false']) {
    expect((await wait(`timeout=0${query}`)).body).toMatchObject({ body: 'unsigned' });
  }
  expectError(await wait(`timeout=0&genuine=true&after=${genuine.id}`), 408, 'timeout');
});
