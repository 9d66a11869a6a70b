import { expect, it } from 'vitest';
import { faultyAccount, rule } from '../../support/striking.ts';
import { CHAT, expectError, fileForm } from '../../support/wire.ts';
import { type Answer, type TestAccount, world } from '../../support/world.ts';

const emulator = await world();
const BUSY = { status: 503, code: 'busy' };

const say = (account: TestAccount, content: string, more: object = {}) =>
  account.post('/chat/completions', { ...CHAT, messages: [{ role: 'user', content }], ...more });

const statuses = (answers: Answer[]) => answers.map(({ status }) => status);

it('applies a rule to paths that begin with its path [I143]', async () => {
  const { account, shown } = await faultyAccount(emulator, BUSY, { match: { path: '/v1/storage' }, times: 0 });
  expect((await account.get('/account')).status).toBe(200);
  expect((await account.get('/storage/objects?limit=1')).status).toBe(503);
  expect((await account.delete('/storage/objects/obj_1')).status).toBe(503);
  expect(await shown()).toMatchObject({ applied: 2, remaining: null });
});

it.each<[string, string, string, object]>([
  ['names the model', 'svc-rp-mini', '/chat/completions', CHAT],
  ['uses the model by default', 'svc-voice-one', '/audio/speech', { input: 'Hello', voice: 'aria' }],
])(
  'applies a rule with match.model to a request that %s, but not to another model [I143]',
  async (_how, model, path, order) => {
    const { account, shown } = await faultyAccount(emulator, BUSY, { match: { model } });
    expect((await account.post('/chat/completions', { ...CHAT, model: 'svc-rp-plus' })).status).toBe(200);
    expect((await account.get('/models')).status).toBe(200);
    expectError(await account.post(path, order), 503, 'busy');
    expect(await shown()).toMatchObject({ applied: 1 });
    expect(await account.ledger()).toEqual(['grant 50', 'charge -3']);
  },
);

it('finds match.contains in messages, context and form fields, but not in directives and images [I143]', async () => {
  const { account, shown } = await faultyAccount(emulator, BUSY, { match: { contains: 'wolf' }, times: 0 });
  const parts = [{ type: 'text', text: 'a wolf' }];
  const unseen = [
    await say(account, 'a Wolf'),
    await say(account, '[[fail:wolf]]'),
    await say(account, 'x', {
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url: 'data:image/png;base64,wolf' }] }],
    }),
  ];
  expect(statuses(unseen)).toEqual([200, 502, 200]);
  const seen = [
    await say(account, 'the wolf'),
    await say(account, 'hello', { context: 'wolves, one wolf' }),
    await say(account, 'hello', { messages: [{ role: 'user', content: parts }] }),
    await account.post('/storage/objects', fileForm('meow', 'cat.txt', { name: 'wolf.txt' })),
  ];
  expect(statuses(seen)).toEqual([503, 503, 503, 503]);
  expect(await shown()).toMatchObject({ applied: 4 });
  expect(await account.ledger()).toEqual(['grant 50', 'charge -1', 'charge -1', 'refund 1', 'charge -3']);
});

it('applies a rule with an account_id only to requests and file reads of that account [I143]', async () => {
  const ana = await emulator.account();
  const ben = await emulator.account();
  const files = await Promise.all(
    [ana, ben].map(async (each) => (await each.post('/storage/objects', fileForm('meow'))).body.url),
  );
  const shown = await rule(ana, BUSY, { times: 0 });
  expect((await say(ben, 'hello')).status).toBe(200);
  expect((await say(ana, 'hello')).status).toBe(503);
  expect(statuses(await Promise.all(files.map((url) => emulator.call('GET', url))))).toEqual([503, 200]);
  expect(await shown()).toMatchObject({ applied: 2 });
});

it('applies the oldest matching rule first, and the next oldest after the first is used up [I143]', async () => {
  const here = await world();
  const account = await here.account();
  const made = async (code: string, match: object) => {
    await here.control('POST', '/faults', { match, effect: { status: 500, code } });
  };
  await made('first', { account_id: account.id });
  await made('second', {});
  await made('third', { account_id: account.id });
  const answers = [];
  for (let n = 0; n < 4; n += 1) answers.push(await say(account, 'hello'));
  expect(answers.map(({ body }) => body.error?.code)).toEqual(['first', 'second', 'third', undefined]);
  expect(await account.ledger()).toEqual(['grant 50', 'charge -1']);
});

it('applies a rule although an older rule makes a compatible change [I143]', async () => {
  const { account } = await faultyAccount(emulator, { change: 'extra_field' }, { times: 0 });
  await rule(account, BUSY);
  expectError(await say(account, 'Hello.'), 503, 'busy');
  expect((await say(account, 'Hello.')).status).toBe(200);
});

it("ends a rule after its ttl_seconds by the emulator's clock [I143]", async () => {
  const here = await world();
  await here.control('PUT', '/clock', { frozen: true });
  const { account, shown } = await faultyAccount(here, BUSY, { times: 0, ttl_seconds: 60 });
  await here.advance(59);
  expect((await say(account, 'hello')).status).toBe(503);
  await here.advance(1);
  expect((await say(account, 'hello')).status).toBe(200);
  expect(await shown()).toMatchObject({ applied: 1 });
});

it('applies a rule exactly the given number of times to parallel requests [I143]', async () => {
  const { account, shown } = await faultyAccount(emulator, BUSY, { times: 3 }, { credits: 100 });
  const answers = await Promise.all(Array.from({ length: 50 }, () => say(account, 'hello')));
  expect(statuses(answers).filter((status) => status === 503)).toHaveLength(3);
  expect(await shown()).toMatchObject({ applied: 3, remaining: 0 });
  expect(await account.balance()).toBe(100 - 47);
  expect(await emulator.invariants()).toMatchObject({ ok: true });
});

const SONG = { style: 'slow piano', instrumental: true, seconds: 30, n: 1 };
const CUT = { stream: { cut_after: 1 } };
it.each<[string, object, string, object]>([
  ['stream', CUT, '/images/generations', { prompt: 'x' }],
  ['webhook', { webhook: 'late' }, '/audio/speech', { input: 'x', voice: 'aria' }],
])('does not apply a %s effect to requests that it cannot change [I195]', async (_kind, effect, path, order) => {
  const { account, shown } = await faultyAccount(emulator, effect, {}, { credits: 100 });
  expect((await account.post('/chat/completions', CHAT)).status).toBe(200);
  expect((await account.post(path, order)).status).toBe(200);
  expect((await account.get('/account')).status).toBe(200);
  expect(await shown()).toMatchObject({ applied: 0, remaining: 1 });
});

it('applies fail_job only to a request that starts work, and the next rule to other requests [I143 I195]', async () => {
  const { account, shown: failing } = await faultyAccount(emulator, { fail_job: 'lost' });
  const busy = await rule(account, BUSY);
  expect((await account.get('/account')).status).toBe(503);
  expectError(await say(account, 'hello'), 502, 'lost');
  expect([await failing(), await busy()]).toMatchObject([{ applied: 1 }, { applied: 1 }]);
  expect(await account.ledger()).toEqual(['grant 50', 'charge -1', 'refund 1']);
});

it('does not use up a rule if missing credits or the content policy prevent the work [I195]', async () => {
  const { account, shown } = await faultyAccount(emulator, { fail_job: 'lost' }, {}, { credits: 0 });
  expectError(await say(account, 'hello'), 402, 'insufficient_credits');
  expectError(await account.post('/music/generations', { ...SONG, style: '[[block]]' }), 400, 'content_blocked');
  expect(await shown()).toMatchObject({ applied: 0, remaining: 1 });
  await emulator.control('POST', `/accounts/${account.id}/credits`, { amount: 5 });
  expectError(await say(account, 'hello'), 502, 'lost');
  expect(await shown()).toMatchObject({ applied: 1, remaining: 0 });
  expect(await account.ledger()).toEqual(['top_up 5', 'charge -1', 'refund 1']);
});

it.each<[string, string, object, number]>([
  ['[[status:418]]', 'status', { status: 503 }, 418],
  ['[[status:418]]', 'drop', { drop: true }, 418],
  ['[[status:418]]', 'fail_job', { fail_job: 'lost' }, 418],
  ['[[fail:mine]]', 'fail_job', { fail_job: 'lost' }, 502],
  ['[[fail:mine]]', 'stream', CUT, 502],
])(
  'prefers the directive %s to a %s rule, and does not use up the rule [I195]',
  async (text, _kind, effect, status) => {
    const { account, shown } = await faultyAccount(emulator, effect);
    const answer = await say(account, text, { stream: true });
    expectError(answer, status, status === 502 ? 'mine' : 'injected_fault');
    expect(await shown()).toMatchObject({ applied: 0, remaining: 1 });
    const charged = status === 502 ? ['charge -1', 'refund 1'] : [];
    expect(await account.ledger()).toEqual(['grant 50', ...charged]);
  },
);

it('restores a rule from a snapshot, with its number of applications [I093]', async () => {
  const here = await world();
  const { account, shown } = await faultyAccount(here, BUSY, { times: 2 });
  await say(account, 'hello');
  await here.control('POST', '/snapshots', { name: 'struck-once' });
  await say(account, 'hello');
  expect((await say(account, 'hello')).status).toBe(200);
  await here.control('POST', '/snapshots/struck-once/restore');
  expect(await shown()).toMatchObject({ applied: 1, remaining: 1 });
  expect((await say(account, 'hello')).status).toBe(503);
  expect((await say(account, 'hello')).status).toBe(200);
});
