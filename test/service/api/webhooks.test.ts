import { parseBuffer } from 'music-metadata';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { constructStripeEvent } from '../../engine/webhooks/stripe-receiver.ts';
import { makeFlow } from '../../support/flow-rig.ts';
import { openReceiver } from '../../support/receiver.ts';
import { expectScenario, playScenario } from '../../support/scenario.ts';
import { expectError } from '../../support/wire.ts';
import { type TestAccount, world } from '../../support/world.ts';

// A public host that no test resolves: deliveries to it are forwarded to a port where nobody listens.
const emulator = await world({ forward: 'https://app.example.com=http://127.0.0.1:9' });
const url = 'https://app.example.com/hook';
const events = ['image.generation.failed'];

/** Lets an image job of the account fail, which causes an event. */
async function failImage(account: TestAccount, text = ''): Promise<void> {
  await account.post('/images/generations', { prompt: `[[fail]] ${text}` });
}

/** Resolves when the account has at least this many final deliveries. */
async function delivered(account: TestAccount, count: number): Promise<void> {
  await emulator.until(async () => {
    const final = (await account.deliveries()).filter(({ status }) => status === 'delivered' || status === 'failed');
    return final.length >= count;
  });
}

const flowOf = async (account: TestAccount): Promise<string> =>
  (await makeFlow(account, [{ type: 'text', params: { prompt: 'a caption' } }], { account_id: account.id })).id;

it('creates a webhook endpoint free of charge, and shows its secret once [R038 R039 R040 R041 R042 R134 R135 I174]', async () => {
  const owner = await emulator.account();
  const created = await owner.post('/webhooks', { url, events: ['flow.run.failed', 'flow.run.failed'] });
  expect(created.status).toBe(201);
  expect(created.body).toEqual({
    ...{ object: 'webhook', id: expect.stringMatching(/^we_[0-9a-f]{24}$/), url, events: ['flow.run.failed'] },
    ...{ flowId: null, enabled: true, lastDeliveryAt: null, lastStatus: null },
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    secret: expect.stringMatching(/^whsec_[0-9A-Za-z]{32}$/),
  });
  const { secret, ...shown } = created.body;
  const listed = await owner.get('/webhooks');
  expect(listed.status).toBe(200);
  expect(listed.body).toEqual({ object: 'list', webhooks: [shown] });
  expect(JSON.stringify(listed.body)).not.toContain('whsec_');
  expect((await owner.post('/webhooks', { url, events })).body.secret).not.toBe(secret);
  expect(await owner.ledger()).toEqual(['grant 50']);
});

const NEAR_HOST = /has no scheme.*http:\/\/localhost:3000\/hook$/;
const NEAR_ADDRESS = /has no scheme.*http:\/\/127\.0\.0\.1:3000\/x$/;

it.each([
  ['no url', { events }, 'url', /url is missing/],
  ['a url of another type', { url: 7, events }, 'url', /must be a string/],
  ['an empty url', { url: '', events }, 'url', /url is empty/],
  ['a word as url', { url: 'hook', events }, 'url', /has no scheme.*Write https:\/\/.*http:\/\/localhost:3000\/hook/],
  ['a host alone', { url: 'app.example.com/hook', events }, 'url', /has no scheme.*https:\/\/app\.example\.com\/hook/],
  ['a loopback host alone', { url: 'localhost:3000/hook', events }, 'url', NEAR_HOST],
  ['a loopback address alone', { url: '127.0.0.1:3000/x', events }, 'url', NEAR_ADDRESS],
  ['a public host and port alone', { url: 'app.example.com:8443/x', events }, 'url', /has no scheme.*https:\/\/app/],
  ['a scheme alone', { url: 'https://', events }, 'url', /is not a valid URL.*Give an https URL/],
  ['another scheme', { url: 'ftp://app.example.com', events }, 'url', /neither http nor https.*Give an https URL/],
  ['plain http', { url: 'http://app.example.com', events }, 'url', /not https/],
  ['a private address', { url: 'https://10.0.0.1/', events }, 'url', /address that is not public/],
  ['a mapped address', { url: 'https://[::ffff:10.0.0.1]/', events }, 'url', /address that is not public/],
  ['user information', { url: 'https://a:b@example.com/', events }, 'url', /user name or password/],
  ['half a surrogate pair', { url: `${url}/\ud800`, events }, 'url', /surrogate/],
  ['a backslash', { url: 'https://app.example.com\\@10.0.0.1/', events }, 'url', /backslash/],
  ['a tab', { url: 'https://app.exam\tple.com/', events }, 'url', /tab/],
  ['a line break', { url: 'https://app.example.com/\n', events }, 'url', /line break/],
  ['no events', { url }, 'events', /events is missing/],
  ['an empty list of events', { url, events: [] }, 'events', /at least 1/],
  ['a text instead of a list of events', { url, events: events[0] }, 'events', /must be an array/],
  ['an unknown event', { url, events: ['nope'] }, 'events.0', /must be "image/],
  ['an event of another type', { url, events: [...events, null] }, 'events.1', /must be "image/],
  ['a flow_id of another type', { url, events, flow_id: 7 }, 'flow_id', /must be a string/],
  ['an array as its body', [], null, /must be an object/],
])(
  'rejects a webhook endpoint with %s before it checks the role, and creates nothing [R193 R194 I019 I223]',
  async (...row) => {
    const [, body, field, says] = row;
    const owner = await emulator.account();
    const as = { workspace_id: owner.workspaceId, role: 'member' };
    await expectScenario(emulator, { as, send: 'POST /webhooks', body, error: { field, says } });
    expect((await owner.get('/webhooks')).body.webhooks).toEqual([]);
  },
);

it.each([
  ['POST', ''],
  ['GET', ''],
  ['GET', '/samples?event=flow.run.failed'],
  ['DELETE', '/we_1'],
])('requires a key and the role owner or admin for %s /v1/webhooks%s [R208 I011 I076]', async (method, path) => {
  const owner = await emulator.account();
  const ask = (headers: Record<string, string>) =>
    emulator.call(method, `/v1/webhooks${path}`, method === 'POST' ? { url, events } : undefined, headers);
  const as = async (role: string) => ask((await emulator.account({ workspace_id: owner.workspaceId, role })).headers);
  expectError(await as('member'), 403, 'permission_denied');
  expectError(await ask({}), 401, 'missing_api_key');
  expect((await owner.get('/webhooks')).body.webhooks).toEqual([]);
  expect((await as('admin')).status).toBeLessThan(300);
  expect((await as('owner')).status).toBeLessThan(300);
});

it('limits a workspace to 25 endpoints of all its members together, until one is deleted [R209 I008]', async () => {
  const owner = await emulator.account();
  const admin = await emulator.account({ workspace_id: owner.workspaceId, role: 'admin' });
  const asked = Array.from({ length: 26 }, (_, n) => (n % 2 ? owner : admin).post('/webhooks', { url, events }));
  const answers = await Promise.all(asked);
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(25);
  const type = 'invalid_request_error';
  expect(answers.find(({ status }) => status !== 201)?.body.error).toMatchObject({
    code: 'endpoint_limit_reached',
    type,
  });
  expect((await (await emulator.account()).post('/webhooks', { url, events })).status).toBe(201);
  const [some] = (await owner.get('/webhooks')).body.webhooks;
  await owner.delete(`/webhooks/${some.id}`);
  expect((await owner.post('/webhooks', { url, events })).status).toBe(201);
  const again = await owner.post('/webhooks', { url, events });
  expect(expectError(again, 400, 'endpoint_limit_reached').message).toContain('25');
});

it('warns of event types that an endpoint with a flow_id does not receive [I222]', async () => {
  const owner = await emulator.account();
  const flow_id = await flowOf(owner);
  const create = (types: string[]) => owner.post('/webhooks', { url, flow_id, events: types });
  const mixed = await create(['flow.run.failed', ...events]);
  expect([mixed.status, mixed.headers.get('svc-emulator-warnings')]).toEqual([201, 'events;flow_id']);
  expect(mixed.body.events).toEqual(['flow.run.failed', ...events]);
  expect((await create(['flow.run.failed'])).headers.get('svc-emulator-warnings')).toBeNull();
});

it('accepts an endpoint for a flow of the workspace or for all flows, and returns flow_not_found for other flows [R196 R236 I012]', async () => {
  const [owner, other] = [await emulator.account(), await emulator.account()];
  const flow = await flowOf(owner);
  const wanted = { url, events: ['flow.run.failed'], flow_id: flow };
  expect(await owner.post('/webhooks', wanted)).toMatchObject({ status: 201, body: { flowId: flow } });
  for (const none of ['', null]) {
    expect(await owner.post('/webhooks', { ...wanted, flow_id: none })).toMatchObject({ body: { flowId: null } });
  }
  const answer = await other.post('/webhooks', wanted);
  expectError(answer, 404, 'flow_not_found', 'flow_id');
  expect(answer.body.error.type).toBe('not_found_error');
  expectError(await other.post('/webhooks', { ...wanted, flow_id: 'flow_none' }), 404, 'flow_not_found', 'flow_id');
  expect((await other.get('/webhooks')).body.webhooks).toEqual([]);
});

it('lists the endpoints of the workspace, newest first [R044 R197]', async () => {
  const [owner, other] = [await emulator.account(), await emulator.account()];
  const first = await owner.post('/webhooks', { url: `${url}/1`, events });
  const second = await owner.post('/webhooks', { url: `${url}/2`, events });
  await other.post('/webhooks', { url: `${url}/3`, events });
  const listed = (await owner.get('/webhooks')).body.webhooks.map(({ id }: { id: string }) => id);
  expect(listed).toEqual([second.body.id, first.body.id]);
});

it('deletes an endpoint only for its own workspace, sends nothing to it afterwards, and returns deleted: false if it deleted nothing [R045 R119 R134 R198 I128 I153]', async () => {
  const [owner, other] = [await emulator.account(), await emulator.account()];
  const receiver = await openReceiver();
  const { id } = (await owner.post('/webhooks', { url: receiver.origin, events })).body;
  const gone = { ok: true, id, deleted: false };
  expect(await other.delete(`/webhooks/${id}`)).toMatchObject({ status: 200, body: gone });
  await failImage(owner);
  await receiver.received(1);
  expect((await owner.delete(`/webhooks/${id}`)).body).toEqual({ ok: true, id, deleted: true });
  expect((await owner.delete(`/webhooks/${id}`)).body).toEqual(gone);
  expect((await owner.delete('/webhooks/we_none')).body).toEqual({ ...gone, id: 'we_none' });
  await failImage(owner);
  expect(await owner.ledger()).toEqual(['grant 50', 'charge -10', 'refund 10', 'charge -10', 'refund 10']);
  expect(await owner.events()).toEqual([...events, ...events]);
  const [delivery, ...more] = await owner.deliveries();
  expect(more).toEqual([]);
  expectError(await emulator.control('POST', `/deliveries/${delivery?.id}/redeliver`), 409, 'conflict');
  expect(receiver.requests).toHaveLength(1);
});

it('shows time and status of the last delivery, which the stripe package accepts with the shown secret [R043 R210 R212 R214 R215 R216]', async () => {
  const owner = await emulator.account();
  const receiver = await openReceiver({ status: 202 });
  const { id, secret } = (await owner.post('/webhooks', { url: receiver.origin, events })).body;
  await failImage(owner);
  await delivered(owner, 1);
  expect((await owner.get('/webhooks')).body.webhooks).toMatchObject([
    { id, lastStatus: 202, lastDeliveryAt: expect.stringMatching(/Z$/) },
  ]);
  const [request, ...more] = receiver.requests;
  const [delivery] = await owner.deliveries();
  expect([request?.method, more]).toEqual(['POST', []]);
  expect(request?.headers).toMatchObject({
    'content-type': 'application/json',
    'svc-signature': expect.stringMatching(/^t=\d+,v1=[0-9a-f]{64}$/),
    'svc-emulator-event': delivery?.event_id,
    'svc-emulator-delivery': delivery?.id,
  });
  expect(constructStripeEvent(request, secret)).toEqual({
    ...{ id: delivery?.event_id, type: events[0], created: expect.any(Number) },
    data: {
      ...{ id: expect.any(String), model: 'svc-image-one' },
      error: expect.objectContaining({ code: 'render_failed' }),
    },
  });
});

it("sends events of a member's synchronous render to the subscribers of the workspace only [R211 I077 I129 I194]", async () => {
  const [owner, other] = [await emulator.account(), await emulator.account()];
  const member = await emulator.account({ workspace_id: owner.workspaceId, role: 'member' });
  const [ours, theirs] = [await openReceiver(), await openReceiver()];
  await owner.post('/webhooks', { url: ours.origin, events });
  await owner.post('/webhooks', { url: theirs.origin, events: ['image.generation.succeeded'] });
  await other.post('/webhooks', { url: theirs.origin, events });
  await failImage(member);
  await ours.received(1);
  await delivered(member, 1);
  expect(await member.events()).toEqual(events);
  expect(await owner.events()).toEqual([]);
  expect(await other.deliveries()).toEqual([]);
  expect(theirs.connections).toBe(0);
  expect(await member.ledger()).toEqual(['grant 50', 'charge -10', 'refund 10']);
});

it.each([
  ['no event', '', 'event'],
  ['an unknown event', '?event=image.done', 'event'],
  ['two events', '?event=flow.run.failed&event=flow.run.waiting', 'event'],
  ['a render event and a flow_id', '?event=image.generation.failed&flow_id=flow_a', 'flow_id'],
])('rejects a request for samples of %s with a 400 that names the field [R199 I184]', async (_, query, field) => {
  const as = { workspace_id: (await emulator.account()).workspaceId, role: 'member' };
  await expectScenario(emulator, { as, send: `GET /webhooks/samples${query}`, error: { field } });
});

const GENERATION = ['content_type', 'id', 'library_id', 'model', 'result_url'];

it.each<[string, string[], object?]>([
  ['image.generation.succeeded', GENERATION],
  ['image.generation.failed', ['error', 'id', 'model']],
  ['video.generation.succeeded', GENERATION],
  ['video.generation.failed', ['error', 'id', 'model']],
  ['music.generation.succeeded', [...GENERATION, 'seed', 'take']],
  ['music.generation.failed', ['error', 'id', 'model', 'seed', 'take']],
  ['flow.run.succeeded', ['flow', 'outputs', 'run'], { status: 'done', finishedAt: expect.any(String) }],
  ['flow.run.failed', ['failure', 'flow', 'outputs', 'run'], { status: 'failed', finishedAt: expect.any(String) }],
  ['flow.run.waiting', ['flow', 'outputs', 'run', 'waiting'], { status: 'waiting', finishedAt: null }],
])(
  'returns one example of %s, free of charge and with every field of a real event, if there was no such event [R046 R134 R201 R213 I070]',
  async (type, fields, run) => {
    const { body } = await playScenario(emulator, { send: `GET /webhooks/samples?event=${type}` });
    const id = expect.stringMatching(/^evt_sample_/);
    const [created, data] = [expect.any(Number), expect.any(Object)];
    expect(body).toEqual({ object: 'list', events: [{ id, type, created, data }] });
    const [example] = body.events;
    expect(Object.keys(example)).toEqual(['id', 'type', 'created', 'data']);
    expect(Object.keys(example.data).toSorted()).toEqual(fields);
    if (!run) return;
    expect(example.data.run).toMatchObject(run);
    expect(Object.keys(example.data.run).toSorted()).toEqual([
      ...['credits', 'finishedAt', 'id', 'inputs', 'source', 'startedAt', 'status'],
    ]);
  },
);

it.each([
  ['image.generation.succeeded', 'image/png', 'a PNG'],
  ['video.generation.succeeded', 'video/mp4', 'an MP4'],
  ['music.generation.succeeded', 'audio/mpeg', 'an MP3'],
])('serves the file of the example event %s, however old its URL is', async (type, contentType) => {
  const owner = await emulator.account();
  const { body } = await owner.get(`/webhooks/samples?event=${type}`);
  const { result_url: url } = body.events[0].data;
  const old = url.replace(/expires=\d+/, 'expires=1');
  const [file, head, part] = await Promise.all([
    emulator.call('GET', url),
    emulator.call('HEAD', old),
    emulator.call('GET', old, undefined, { range: 'bytes=0-3' }),
  ]);
  expect([file.status, head.status, part.status]).toEqual([200, 200, 206]);
  expect(file.headers.get('content-type')).toBe(contentType);
  expect(head.headers.get('content-length')).toBe(String(file.bytes.length));
  expect(part.bytes.equals(file.bytes.subarray(0, 4))).toBe(true);
  expect(await kindOf(file.bytes)).toBe(contentType);
  expect(await owner.ledger()).toEqual(['grant 50']);
  expect((await owner.library()).length).toBe(0);
});

/** The media type of a file, as a player detects it. */
async function kindOf(bytes: Buffer): Promise<string> {
  if (bytes.subarray(1, 4).toString() === 'PNG') return `image/${(await sharp(bytes).metadata()).format}`;
  const { format } = await parseBuffer(bytes);
  return format.container === 'MPEG' ? 'audio/mpeg' : 'video/mp4';
}

it('returns as samples the 3 newest events as they were sent, and none of another workspace [R200 R203]', async () => {
  const [owner, other] = [await emulator.account(), await emulator.account()];
  const receiver = await openReceiver();
  await owner.post('/webhooks', { url: receiver.origin, events });
  for (const text of ['one', 'two', 'three', 'four']) await failImage(owner, text);
  await receiver.received(4);
  const path = '/webhooks/samples?event=image.generation.failed';
  const sent = receiver.requests.map(({ body }) => JSON.parse(body));
  expect((await owner.get(path)).body.events).toEqual(sent.slice(1).reverse());
  expect((await other.get(path)).body.events).toMatchObject([{ id: expect.stringMatching(/^evt_sample_/) }]);
});

it('returns a sample of the given flow, and flow_not_found for a flow of another workspace [R196 R202]', async () => {
  const [owner, other] = [await emulator.account(), await emulator.account()];
  const flow = await flowOf(owner);
  const path = `/webhooks/samples?event=flow.run.waiting&flow_id=${flow}`;
  expect((await owner.get(path)).body.events).toMatchObject([{ data: { flow: { id: flow, name: 'Daily post' } } }]);
  expectError(await other.get(path), 404, 'flow_not_found', 'flow_id');
});
