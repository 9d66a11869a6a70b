import { expect, it } from 'vitest';
import { expectScenario } from '../../support/scenario.ts';
import { appliedFault, faultyAccount, journalled, rule } from '../../support/striking.ts';
import { CHAT, expectError, fileForm } from '../../support/wire.ts';
import { world } from '../../support/world.ts';

const emulator = await world();
const VOICE = { input: 'Hello', voice: 'aria' };
const PICTURE = { prompt: 'a pier' };
const BAD_KEY = { authorization: 'Bearer svc_sk_nobody' };

it.each<[number, object, string, string | null]>([
  [408, {}, 'timeout', null],
  [409, {}, 'conflict', null],
  [429, {}, 'rate_limited', '1'],
  [500, {}, 'injected_fault', null],
  [503, { code: 'overloaded', retry_after: 7 }, 'overloaded', '7'],
  [418, { retry_after: 0 }, 'injected_fault', '0'],
])(
  'returns by a fault rule the status %i with the settings %j, and charges nothing [I143 I171 I206]',
  async (status, more, code, wait) => {
    const { account, shown } = await faultyAccount(emulator, { status, ...more });
    const answer = { error: { type: code === 'rate_limited' ? 'rate_limit_error' : 'api_error' } };
    const sent = { as: account, send: 'POST /images/generations', body: PICTURE };
    await expectScenario(emulator, { ...sent, status, error: { code }, answer, shows: { 'retry-after': wait } });
    expect(await shown()).toMatchObject({ applied: 1 });
  },
);

it.each<[string, string, () => unknown]>([
  ['POST', '/v1/chat/completions', () => ({ ...CHAT, stream: true })],
  ['POST', '/v1/images/generations', () => PICTURE],
  ['POST', '/v1/audio/speech', () => VOICE],
  ['POST', '/v1/storage/objects', () => fileForm('meow')],
  ['GET', '/v1/account', () => undefined],
])('resets by a fault rule the connection of %s %s, and charges nothing [I143]', async (method, path, body) => {
  const { account, shown } = await faultyAccount(emulator, { drop: true });
  const dropped = await emulator.call(method, path, body(), account.headers).catch((error) => error);
  expect(dropped).toMatchObject({ cause: { code: 'ECONNRESET' } });
  const [request] = await journalled(account, 1);
  expect(request).toMatchObject({ path, status: 0, answer: null });
  expect(await shown()).toMatchObject({ applied: 1 });
  expect(await account.ledger()).toEqual(['grant 50']);
  expect([await account.events(), await account.library(), await account.jobs()]).toEqual([[], [], []]);
  expect(await emulator.invariants()).toMatchObject({ ok: true });
});

it('delays a request by a fault rule in real time, and charges it as usual [I143]', async () => {
  const { account, shown } = await faultyAccount(emulator, { delay_ms: 60 });
  await expectScenario(emulator, { as: account, send: 'POST /chat/completions', body: CHAT, ledger: ['charge -1'] });
  const [request] = await journalled(account, 1);
  expect(request.duration_ms).toBeGreaterThanOrEqual(59);
  expect(await shown()).toMatchObject({ applied: 1 });
});

it('ends a delayed request at a reset, and leaves no record of it [I190]', async () => {
  const here = await world();
  const { account, shown } = await faultyAccount(here, { delay_ms: 600_000 });
  const held = account.post('/chat/completions', CHAT);
  await appliedFault(shown);
  await here.control('POST', '/reset');
  expectError(await held, 502, 'render_failed');
  for (const list of ['faults', 'requests']) expect((await here.control('GET', `/${list}`)).body.data).toEqual([]);
  expect(await here.invariants()).toMatchObject({ ok: true });
});

it.each<[string, string, object, number]>([
  ['a broken field', '/chat/completions', { ...CHAT, temperature: 9 }, 400],
  ['an unknown model', '/chat/completions', { ...CHAT, model: 'gpt-4o' }, 404],
  ['an unknown image model', '/images/generations', { ...PICTURE, model: 'x' }, 404],
  ['a model of another kind', '/audio/speech', { ...VOICE, model: 'svc-image-one' }, 400],
  ['no text for a song', '/music/generations', {}, 400],
  ['no prompt for a video', '/videos/generations', {}, 400],
  ['a video of 90 seconds', '/videos/generations', { prompt: 'x', seconds: 90 }, 400],
  ['both seconds and duration', '/videos/generations', { prompt: 'x', seconds: 5, duration: '5s' }, 400],
  ['an unknown element', '/videos/generations', { prompt: 'x', elements: ['nobody'] }, 400],
  ['a broken image', '/videos/generations', { prompt: 'x', reference: 'data:image/png;base64,AA' }, 400],
  ['a file that is not audio', '/audio/transcriptions', fileForm('meow'), 415],
])('does not use up a fault rule for a request with %s [I143 I195]', async (_what, path, order, status) => {
  const { account, shown } = await faultyAccount(emulator, { status: 503 });
  expect((await account.post(path, order)).status).toBe(status);
  expect(await shown()).toMatchObject({ applied: 0, remaining: 1 });
  expect(await account.ledger()).toEqual(['grant 50']);
});

it('does not use up a fault rule for an invalid key, a missing role or a rate limit [I143 I195]', async () => {
  const here = await world({ rateLimit: 2 });
  const owner = await here.account();
  const member = await here.account({ workspace_id: owner.workspaceId });
  const { body } = await here.control('POST', '/faults', { effect: { status: 503 } });
  expectError(await here.call('POST', '/v1/chat/completions', CHAT, BAD_KEY), 401, 'invalid_api_key');
  expectError(await member.get('/webhooks'), 403, 'permission_denied');
  expectError(await member.get('/webhooks'), 403, 'permission_denied');
  expectError(await member.get('/account'), 429, 'rate_limited');
  const { data } = (await here.control('GET', '/faults')).body;
  expect(data).toEqual([body]);
});

it('applies a fault rule before it checks the content policy and the balance [I143]', async () => {
  const { account: poor, shown } = await faultyAccount(emulator, { status: 503 }, { times: 2 }, { credits: 0 });
  expectError(await poor.post('/music/generations', { style: '[[block]]' }), 503, 'injected_fault');
  expectError(await poor.post('/chat/completions', CHAT), 503, 'injected_fault');
  expect(await shown()).toMatchObject({ applied: 2 });
  expect(await poor.ledger()).toEqual([]);
});

it('applies a fault rule to valid reads of the CDN [I143 I195]', async () => {
  const account = await emulator.account();
  const { url } = (await account.post('/storage/objects', fileForm('meow'))).body;
  const { pathname } = new URL(url);
  const busy = await rule(account, { status: 503 }, { match: { path: pathname } });
  expectError(await emulator.call('GET', `${url}x`), 404, 'not_found');
  expectError(await emulator.call('GET', url), 503, 'injected_fault');
  expect(await busy()).toMatchObject({ applied: 1 });
  const dropping = await rule(account, { drop: true }, { match: { path: '/cdn/' } });
  await expect(emulator.call('GET', url)).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
  expect(await dropping()).toMatchObject({ applied: 1 });
  const delaying = await rule(account, { delay_ms: 5 }, { match: { path: '/cdn/' } });
  expect(`${(await emulator.call('GET', url)).bytes}`).toBe('meow');
  expect(await delaying()).toMatchObject({ applied: 1 });
  expect(await account.ledger()).toEqual(['grant 50', 'charge -2']);
});

it('does not apply fault rules to /_emulator [I143]', async () => {
  const here = await world();
  await here.control('POST', '/faults', { times: 0, effect: { status: 503 } });
  expect((await here.control('GET', '/health')).status).toBe(200);
  expect((await here.control('POST', '/accounts', {})).status).toBe(201);
  expect((await here.call('GET', '/v1/models')).status).toBe(503);
});
