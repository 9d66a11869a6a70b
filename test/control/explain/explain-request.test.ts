import { expect, it } from 'vitest';
import { makeFlow } from '../../support/flow-rig.ts';
import { script } from '../../support/scripting.ts';
import { CHAT, fileForm } from '../../support/wire.ts';
import { type Answer, type TestAccount, World, world } from '../../support/world.ts';

const emulator = await world();

/** A clip with this prompt is charged as usual, but not rendered. */
const UNRENDERED = '[[fail]] a pier';

interface Step {
  kind: string;
  text: string;
  details: string[];
  // biome-ignore lint/suspicious/noExplicitAny: steps are asserted field by field
  [more: string]: any;
}

async function stepsOf(answer: Answer): Promise<Step[]> {
  const { status, body } = await emulator.control('GET', `/explain/${idOf(answer)}`);
  expect(status).toBe(200);
  return body.steps;
}

const idOf = (answer: Answer) => answer.headers.get('x-request-id');
const named = (steps: Step[], name: string) => steps.find(({ kind }) => kind === name);
const names = (steps: Step[]) => steps.map(({ kind }) => kind);
const sumOf = (steps: Step[]) => named(steps, 'charged')?.details[0];

async function rule(account: TestAccount, more: object) {
  const match = { account_id: account.id };
  return (await emulator.control('POST', '/faults', { match, ...more })).body.id;
}

it('explains a failed image from the request to the delivery', async () => {
  const account = await emulator.account({ credits: 100 });
  const url = `${emulator.url}/_emulator/inbox/told`;
  await account.post('/webhooks', { url, events: ['image.generation.failed'] });
  const order = { prompt: '[[fail:lost]] a pier', store: true, mood: 'calm' };
  const answer = await account.post('/images/generations', order);
  await emulator.wait('delivery:image.generation.failed', { account_id: account.id });
  const steps = await stepsOf(answer);
  expect(names(steps)).toEqual([
    ...['received', 'validated', 'directives', 'faults', 'scripted_answers', 'charged'],
    ...['started', 'failed', 'refunded', 'returned', 'delivered'],
  ]);
  expect(named(steps, 'validated')).toMatchObject({ ignored: ['mood'], dropped: [] });
  expect(named(steps, 'directives')?.directives).toEqual({ fail: { code: 'lost' } });
  expect(sumOf(steps)).toBe('1 × 10 (image by svc-image-one) + 1 × 2 (store) = 12.');
  expect(named(steps, 'charged')).toMatchObject({ text: 'Charged 12 credits, 88 left', amount: -12, balance: 88 });
  expect(named(steps, 'refunded')).toMatchObject({ text: 'Refunded 12 credits, 100 left', amount: 12, balance: 100 });
  expect(named(steps, 'failed')).toMatchObject({ text: 'The job failed: lost', error: { code: 'lost' } });
  expect(named(steps, 'returned')).toMatchObject({ text: 'Returned 502, lost', status: 502 });
  expect(named(steps, 'delivered')).toMatchObject({ url, status: 200, fault: null });
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
    '2 × 3 (started 30 s of 60 s of svc-music-one) = 6.',
  ],
  [
    "a video of the service's own engine",
    '/videos/generations',
    { prompt: UNRENDERED, model: 'svc-motion-one', seconds: 6, store: true },
    '1 × 60 (video of 768p by engine svc-motion-one) + 1 × 2 (store) = 62.',
  ],
])('explains the price of %s', async (_, path, order, sum) => {
  const account = await emulator.account({ plan: 'studio', credits: 1000 });
  const steps = await stepsOf(await account.post(path, order));
  expect(sumOf(steps)?.replace('768p with sound', '768p')).toBe(sum);
});

it('explains the price of a video with reference images by every engine, and of an upload', async () => {
  const account = await emulator.account({ plan: 'studio', credits: 1_000_000 });
  const { body } = await emulator.control('GET', '/models');
  for (const { id } of body.data.filter((model: { engine?: object }) => model.engine)) {
    const order = { model: id, prompt: UNRENDERED, references: ['http://a.b/1.png'] };
    const steps = await stepsOf(await account.post('/videos/generations', order));
    const { price_lines: lines, amount } = named(steps, 'charged') as Step;
    const sum = (all: { times: number; credits: number }[]) =>
      all.reduce((total, each) => total + each.times * each.credits, 0);
    expect([id, lines.length > 0, sum(lines)]).toEqual([id, true, -amount]);
  }
  const form = fileForm(new Uint8Array(11 * 1_048_576));
  const headers = account.headers;
  const upload = await emulator.call('POST', '/v1/storage/objects', form, headers);
  expect(sumOf(await stepsOf(upload))).toMatch(/^2 × 2 \(started 10 MiB .*= 4\.$/);
});

it('says why each fault rule did not apply, and which one did', async () => {
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
  expect(mine.map(({ why, applied }: Step) => (applied ? 'applied' : why.join()))).toEqual([
    "match.path is /v1/images, the request's is /v1/chat/completions",
    "match.model is svc-rp-plus, the request's is svc-rp-mini",
    'match.contains is "lantern", no text of the request contains it',
    'its effect, webhook, cannot act on this request',
    'its probability, 0.000001, did not come up',
    'applied',
    'a rule that was created earlier applied first',
  ]);
  expect(named(steps, 'charged')).toBeUndefined();
  expect(await account.ledger()).toEqual(['grant 50', 'top_up 50']);
  const later = await stepsOf(await account.get('/account'));
  const used = named(later, 'faults')?.rules.find(({ id }: Step) => id === rules[5]);
  expect(used.why).toEqual(['it is used up: it applied 1 of 1 time']);
});

it('says which scripted answer was used, and why another was not', async () => {
  const account = await emulator.account();
  const [first, second] = await script(
    account,
    { match: { message: 'lantern' }, answer: { text: 'One.' } },
    { match: { operation: 'createChatCompletion' }, answer: { text: 'Two.' } },
  );
  const steps = await stepsOf(await account.post('/chat/completions', CHAT));
  const considered = named(steps, 'scripted_answers');
  expect(considered).toMatchObject({ fixture: second });
  expect(considered?.scripted_answers.find(({ id }: Step) => id === first).why.join()).toContain('lantern');
});

it.each([
  ['no key', {}, CHAT, 401, 'missing_api_key'],
  ['a body that is wrong', undefined, { model: 3 }, 400, 'invalid_request'],
])('explains at which step a request with %s ended', async (_, headers, body, status, code) => {
  const account = await emulator.account();
  const sent = headers ?? account.headers;
  const answer = await emulator.call('POST', '/v1/chat/completions', body, sent);
  const steps = await stepsOf(answer);
  expect(names(steps)).toEqual(['received', 'returned']);
  expect(steps.at(-1)?.text).toBe(`Returned ${status}, ${code}`);
});

it('explains the rejection of a request that costs more than the balance, with the price and the balance', async () => {
  const account = await emulator.account();
  const steps = await stepsOf(await account.post('/videos/generations', { prompt: 'a pier' }));
  expect(named(steps, 'returned')?.details[0]).toContain('This costs 100 credits and the balance is 50');
  expect(named(steps, 'charged')).toBeUndefined();
});

it('returns the URL of the explanation only to a request that asks for it', async () => {
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

it('explains a flow run that a hook started', async () => {
  const account = await emulator.account({ credits: 100 });
  const flow = await makeFlow(account, [{ type: 'post', params: { text: 'x' } }]);
  const answer = await emulator.call('POST', flow.hook_url, { x: 1 });
  await emulator.wait('event:flow.run.waiting', { account_id: account.id });
  const steps = await stepsOf(answer);
  expect(named(steps, 'run')).toMatchObject({ run_id: answer.body.id, flow_id: flow.id });
  expect(named(steps, 'published')).toMatchObject({ type: 'flow.run.waiting' });
});

const strict = await world({ strict: true });

const CHATS = '/chat/completions';
const CLIP = '/videos/generations';
const SONG = '/music/generations';
const turn = { role: 'user', content: 'Hello.' };
const chat = { model: 'svc-rp-mini', messages: [turn] };
const many = (count: number) => Array.from({ length: count }, () => 'ada');
const long = (length: number) => 'a'.repeat(length);

async function textOf(account: TestAccount, headers: Headers): Promise<string> {
  const { body } = await account.world.control('GET', `/explain/${headers.get('x-request-id')}`);
  return body.steps.flatMap(({ text, details }: Step) => [text, ...details]).join('\n');
}

it.each<[id: string, method: string, path: string, body: unknown, more?: Record<string, string> | World]>([
  ['C020', 'POST', '/webhooks', []],
  ['C020', 'POST', CHATS, '{', { 'content-type': 'application/json' }],
  ['C021', 'POST', CHATS, '{}', { 'content-type': 'text/plain' }],
  ['C138', 'POST', '/audio/transcriptions', fileForm('no sound', 'sound.wav')],
  ['C001', 'POST', '/images/generations', { prompt: 'a pier', mood: 'calm' }, strict],
  ['C144', 'POST', '/webhooks', { url: 'http://localhost:3000/', events: ['image.generation.failed'] }, strict],
  ['C022', 'POST', CLIP, { prompt: 'a pier', model: 'none' }],
  ['C023', 'POST', '/images/generations', { prompt: 'a pier', model: 'svc-rp-mini' }],
  ['C024', 'GET', '/videos/generations/job_1', {}],
  ['C025', 'POST', '/responses', {}],
  ['C026', 'POST', '/models', {}],
  ['C028', 'POST', CLIP, { prompt: 'a pier', elements: many(101) }],
  ['C058', 'POST', CHATS, { ...chat, messages: [] }],
  ['C059', 'POST', CHATS, { ...chat, messages: [{ role: 'user', content: [{ type: 'image_url', image_url: 'x' }] }] }],
  ['C059', 'POST', CHATS, { ...chat, messages: [{ role: 'user', content: [{ type: 'image_url' }] }] }],
  ['C063', 'POST', CHATS, { ...chat, max_tokens: 1201 }],
  ['C063', 'POST', CHATS, { ...chat, mode: 'messaging', max_tokens: 161 }],
  ['C076', 'GET', '/storage/objects?after=obj_1', {}],
  ['C076', 'GET', '/storage/objects?limit=0', {}],
  ['C078', 'DELETE', '/storage/objects/obj_1', {}],
  ['C087', 'POST', CLIP, { prompt: 'a pier', duration: '5s', seconds: 5 }],
  ['C090', 'POST', CLIP, { prompt: 'a pier', resolution: '8k' }],
  ['C091', 'POST', CLIP, { prompt: 'a pier', aspect: '2:1' }],
  ['C093', 'POST', CLIP, { prompt: 'a pier', shot: long(65) }],
  ['C094', 'POST', CLIP, { prompt: 'a pier', elements: many(1) }],
  ['C095', 'POST', CLIP, { prompt: 'a pier', seed: 'x' }],
  ['C096', 'POST', CLIP, { prompt: 'a pier', seconds: 11 }],
  ['C107', 'POST', CLIP, { prompt: long(10_001) }],
  ['C107', 'POST', '/images/generations', { prompt: 'a pier', negative_prompt: long(2401) }],
  ['C124', 'POST', SONG, { title: 'Pier' }],
  ['C125', 'POST', SONG, { prompt: 'a waltz', style: long(2001) }],
  ['C127', 'POST', SONG, { prompt: 'a waltz', seed: 4_294_967_296 }],
  ['C132', 'POST', SONG, { lyrics: 'La la la', instrumental: true }],
  ['C134', 'POST', SONG, { prompt: 'a waltz [[block:lyrics]]' }],
  ['C135', 'POST', '/audio/speech', { input: long(4097), voice: 'aria' }],
  ['C135', 'POST', '/audio/speech', { input: '', voice: 'aria' }],
  ['C142', 'POST', '/webhooks', { url: 'https://10.0.0.1/', events: ['image.generation.failed'] }],
  ['C210', 'POST', '/webhooks', { url: `${emulator.url}/v1/models`, events: ['image.generation.failed'] }],
  ['C158', 'GET', '/webhooks/samples?event=image.generation.failed&flow_id=flow_1', {}],
  ['C037', 'POST', CHATS, { ...chat, messages: [{ ...turn, content: '[[status:503]]' }] }],
])(
  'names the documented choice %s in the explanation of a rejected %s %s',
  async (id, method, path, body, more = {}) => {
    const [here, extra] = more instanceof World ? [more, {}] : [emulator, more];
    const account = await here.account({ plan: 'studio', credits: 500 });
    const sent = method === 'POST' ? body : undefined;
    const { status, headers } = await here.call(method, `/v1${path}`, sent, { ...account.headers, ...extra });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(await textOf(account, headers)).toContain(`(choice ${id})`);
  },
);

it.each<[string, number, object]>([
  ['/images/generations', 400, { prompt: long(2401) }],
  ['/images/generations', 400, {}],
  ['/images/generations', 402, { prompt: 'a pier' }],
  [SONG, 400, { prompt: 'a waltz', seconds: 45 }],
  [SONG, 400, { prompt: '' }],
  [CHATS, 400, { ...chat, max_tokens: 0 }],
  [CLIP, 400, { prompt: 'a pier', shot: 5 }],
])('names no documented choice for a rejection that the specification defines: %s, %i', async (path, status, body) => {
  const account = await emulator.account({ credits: 0 });
  const answer = await account.post(path, body);
  expect(answer.status).toBe(status);
  expect(await textOf(account, answer.headers)).not.toContain('(choice');
});

it('does not add the documented choice behind a rejection to the response of the service', async () => {
  const account = await emulator.account();
  const { body } = await account.post('/audio/speech', { input: long(4097), voice: 'aria' });
  expect(JSON.stringify(body)).not.toMatch(/C\d{3}/);
});
