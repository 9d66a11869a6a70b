import { expect, it } from 'vitest';
import { CHAT, expectError, fileForm } from '../../support/wire.ts';
import { type Answer, type TestAccount, world } from '../../support/world.ts';

const emulator = await world();

interface Step {
  step: string;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: steps are asserted field by field
  [more: string]: any;
}

/** The steps of an answered request. */
async function stepsOf(answer: Answer): Promise<Step[]> {
  const { status, body } = await emulator.control('GET', `/explain/${idOf(answer)}`);
  expect(status).toBe(200);
  return body.steps;
}

const idOf = (answer: Answer) => answer.headers.get('x-request-id');
const named = (steps: Step[], name: string) => steps.find(({ step }) => step === name);
const names = (steps: Step[]) => steps.map(({ step }) => step);

async function rule(account: TestAccount, more: object) {
  const match = { account_id: account.id };
  return (await emulator.control('POST', '/faults', { match, ...more })).body.id;
}

it('reports a failed picture from its arrival to what was delivered of it', async () => {
  const account = await emulator.account({ credits: 100 });
  const url = `${emulator.url}/_emulator/inbox/told`;
  await account.post('/webhooks', { url, events: ['image.generation.failed'] });
  const order = { prompt: '[[fail:lost]] a pier', store: true, mood: 'calm' };
  const answer = await account.post('/images/generations', order);
  await emulator.wait('delivery:image.generation.failed', { account_id: account.id });
  const steps = await stepsOf(answer);
  expect(names(steps)).toEqual([
    ...['received', 'validated', 'directives', 'faults', 'fixtures', 'price', 'charged'],
    ...['job', 'render', 'settled', 'refunded', 'answered', 'events', 'delivery'],
  ]);
  expect(named(steps, 'validated')).toMatchObject({ ignored: ['mood'], dropped: [] });
  expect(named(steps, 'directives')?.directives).toEqual({ fail: { code: 'lost' } });
  expect(named(steps, 'price')?.text).toBe('1 × 10 (picture of svc-image-one) + 1 × 2 (store) = 12.');
  expect(named(steps, 'charged')?.charges[0]).toMatchObject({ amount: -12, balance: 88 });
  expect(named(steps, 'refunded')?.refunds[0]).toMatchObject({ amount: 12, balance: 100 });
  expect(named(steps, 'render')?.error.code).toBe('lost');
  expect(named(steps, 'answered')).toMatchObject({ status: 502 });
  expect(named(steps, 'delivery')).toMatchObject({ url, status: 'delivered', fault: null });
  expect(await account.ledger()).toEqual(['grant 50', 'top_up 50', 'charge -12', 'refund 12']);
});

it.each<[string, string, object, string]>([
  ['a reply', '/chat/completions', CHAT, '1 × 1 (reply of svc-rp-mini) = 1.'],
  [
    'a reply to pictures',
    '/chat/completions',
    {
      model: 'svc-rp-plus',
      messages: [
        {
          role: 'user',
          content: ['http://a.b/1.png', 'http://a.b/2.png'].map((url) => ({
            ...{ type: 'image_url', image_url: url },
          })),
        },
      ],
    },
    '1 × 3 (reply of svc-rp-plus) + 2 × 2 (image) = 7.',
  ],
  [
    'speech',
    '/audio/speech',
    { input: 'word '.repeat(27), voice: 'aria' },
    '2 × 3 (started 100 of 135 characters of svc-voice-one) = 6.',
  ],
  [
    'a song of two takes',
    '/music/generations',
    { style: 'slow piano', instrumental: true, seconds: 60 },
    '2 × 3 (started 30 s of 60 s of svc-music-one) = 6, for each of 2 takes.',
  ],
  [
    'a clip of the own engine',
    '/videos/generations',
    { prompt: '[[slow:600]] a pier', model: 'svc-motion-one', seconds: 6, store: true },
    '1 × 60 (clip of 768p by engine svc-motion-one) + 1 × 2 (store) = 62.',
  ],
])('does the arithmetic of %s', async (_, path, order, sum) => {
  const account = await emulator.account({ plan: 'studio', credits: 1000 });
  const steps = await stepsOf(await account.post(path, order));
  expect(named(steps, 'price')?.text.replace('768p with sound', '768p')).toBe(sum);
});

it('does the arithmetic of every engine with references, of an upload and of a transcription', async () => {
  const account = await emulator.account({ plan: 'studio', credits: 1_000_000 });
  const { body } = await emulator.control('GET', '/engines');
  for (const { id } of body.data) {
    const order = { model: id, prompt: '[[slow:600]] a pier', references: ['http://a.b/1.png'] };
    const steps = await stepsOf(await account.post('/videos/generations', order));
    const { terms, credits } = named(steps, 'price')?.sums[0] ?? {};
    const sum = (all: { times: number; credits: number }[]) =>
      all.reduce((total, each) => total + each.times * each.credits, 0);
    expect([id, terms.length > 0, sum(terms)]).toEqual([id, true, credits]);
  }
  const form = fileForm(new Uint8Array(11 * 1_048_576));
  const headers = account.headers;
  const upload = await emulator.call('POST', '/v1/storage/objects', form, headers);
  expect(named(await stepsOf(upload), 'price')?.text).toMatch(/^2 × 2 \(started 10 MiB .*= 4\.$/);
});

it('says of each fault rule why it left a request alone, and which one applied', async () => {
  const account = await emulator.account({ credits: 100 });
  const match = { account_id: account.id };
  const effect = { status: 503 };
  const rules = [
    await rule(account, { effect, match: { ...match, path: '/v1/images' } }),
    await rule(account, { effect, match: { ...match, model: 'svc-rp-plus' } }),
    await rule(account, { effect, match: { ...match, contains: 'lantern' } }),
    await rule(account, { effect: { webhook: 'drop' }, match: { ...match, path: '/v1' } }),
    await rule(account, { effect, probability: 0.000001 }),
    await rule(account, { effect: { status: 418 } }),
    await rule(account, { effect }),
  ];
  const answer = await account.post('/chat/completions', CHAT);
  expect(answer.status).toBe(418);
  const steps = await stepsOf(answer);
  const faults = named(steps, 'faults');
  const mine = faults?.rules.filter(({ id }: { id: string }) => rules.includes(id));
  expect(mine.map(({ why, appliedFault }: Step) => (appliedFault ? 'struck' : why.join()))).toEqual([
    "match.path is /v1/images, the request's is /v1/chat/completions",
    "match.model is svc-rp-plus, the request's is svc-rp-mini",
    'no text of the request contains "lantern"',
    'its effect, webhook, cannot act on this request',
    'its chance, 0.000001, did not come up',
    'struck',
    'another rule, made earlier, applied first',
  ]);
  expect(named(steps, 'charged')?.text).toBe('Nothing was charged.');
  expect(await account.ledger()).toEqual(['grant 50', 'top_up 50']);
  const later = await stepsOf(await account.get('/account'));
  const used = named(later, 'faults')?.rules.find(({ id }: Step) => id === rules[5]);
  expect(used.why).toEqual(['it is used up: 1 strike of 1']);
});

it('says of each scripted answer why it was not given', async () => {
  const account = await emulator.account();
  const match = { account_id: account.id };
  const { body } = await emulator.control('POST', '/fixtures', {
    fixtures: [
      { match: { ...match, message: 'lantern' }, answer: { text: 'One.' } },
      { match: { ...match, operation: 'createChatCompletion' }, answer: { text: 'Two.' } },
    ],
  });
  const [first, second] = body.data.map(({ id }: { id: string }) => id);
  const steps = await stepsOf(await account.post('/chat/completions', CHAT));
  const fixtures = named(steps, 'fixtures');
  expect(fixtures).toMatchObject({ given: second });
  expect(fixtures?.fixtures.find(({ id }: Step) => id === first).why.join()).toContain('lantern');
});

it.each([
  ['no key', {}, CHAT, 401, 'missing_api_key'],
  ['a body that is wrong', undefined, { model: 3 }, 400, 'invalid_request'],
])('reports where a request with %s ended', async (_, headers, body, status, code) => {
  const account = await emulator.account();
  const sent = headers ?? account.headers;
  const answer = await emulator.call('POST', '/v1/chat/completions', body, sent);
  const steps = await stepsOf(answer);
  expect(names(steps)).toEqual(['received', 'refused', 'answered']);
  expect(steps.at(-1)?.text).toContain(`Answered with ${status}`);
  expect(steps.at(-1)?.text).toContain(code);
});

it('names price and balance of what was too dear', async () => {
  const account = await emulator.account();
  const steps = await stepsOf(await account.post('/videos/generations', { prompt: 'a pier' }));
  expect(named(steps, 'price')?.text).toContain('This costs 100 credits and the balance is 50');
  expect(named(steps, 'charged')?.text).toBe('Nothing was charged.');
});

it('gives the address of the explanation to a request that asks for it, and to no other', async () => {
  const account = await emulator.account();
  const ask = { 'svc-emulator-explain': '1' };
  const answers = [
    await account.post('/chat/completions', CHAT, ask),
    await account.post('/chat/completions', {}, ask),
    await account.post('/chat/completions', { ...CHAT, stream: true }, ask),
    await account.post('/audio/speech', { input: 'Hello', voice: 'aria' }, ask),
  ];
  for (const answer of answers) {
    const address = answer.headers.get('svc-emulator-explain') ?? '';
    expect(address).toBe(`${emulator.url}/_emulator/explain/${idOf(answer)}`);
    expect((await emulator.call('GET', address)).body.id).toBe(idOf(answer));
  }
  const plain = await account.post('/chat/completions', CHAT);
  expect(plain.headers.has('svc-emulator-explain')).toBe(false);
});

it('explains a run that a hook has started', async () => {
  const account = await emulator.account({ credits: 100 });
  const steps = [{ nodeId: 'a', type: 'post', params: { text: 'x' } }];
  const order = { workspace_id: account.workspaceId, name: 'Flow', steps };
  const { body: flow } = await emulator.control('POST', '/flows', order);
  const answer = await emulator.call('POST', flow.hook_url, { x: 1 });
  await emulator.wait('event:flow.run.waiting', { account_id: account.id });
  const told = await stepsOf(answer);
  expect(named(told, 'run')).toMatchObject({ run_id: answer.body.id, flow_id: flow.id });
  expect(named(told, 'events')?.events[0]).toMatchObject({ type: 'flow.run.waiting' });
});

it('does not explain what is not on record', async () => {
  expectError(await emulator.control('GET', '/explain/req_none'), 404, 'not_found');
});
