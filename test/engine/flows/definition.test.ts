import { expect, it } from 'vitest';
import { runFlow, type Step, TEXT, tryFlow } from '../../support/flow-rig.ts';
import { expectError } from '../../support/wire.ts';
import { world } from '../../support/world.ts';

const emulator = await world();
const strict = await world({ strict: true });
const ann = await emulator.account();

const step = (type: string, params: object): Step => ({ type, params: params as Step['params'] });
const image = (params: object) => step('image', params);
const text = (prompt: string) => step('text', { prompt });
const song = (params: object) => step('music', params);
const clip = (params: object) => step('video', params);
const post = (params: object) => step('post', params);

it.each<[string, Step[], string, RegExp]>([
  ['no steps', [], 'steps', /at least 1/],
  ['a step of an unknown type', [{ type: 'dance' }], 'steps.0.type', /"text"/],
  ['a text without a prompt', [{ type: 'text' }], 'steps.0.params.prompt', /Step 1 \(a\).*missing/],
  ['two steps of one nodeId', [TEXT, { ...TEXT, nodeId: 'a' }], 'steps.1.nodeId', /the same as of step 1/],
  [
    'a wrong voice',
    [TEXT, step('speech', { input: 'x', voice: 'bob' })],
    'steps.1.params.voice',
    /Step 2 \(b\): voice must be/,
  ],
  ['a field of a wrong type', [image({ prompt: 'x', cfg_scale: 'much' })], 'steps.0.params.cfg_scale', /number/],
  ['a song of 31 seconds', [song({ style: 'x', seconds: 31 })], 'steps.0.params.seconds', /in steps of 30/],
  ['a song of two takes', [song({ style: 'x', n: 2 })], 'steps.0.params.n', /must be 1/],
  ['a song of only a title', [song({ title: 'x' })], 'steps.0.params.prompt', /at least one of/],
  ['a video of 40 seconds', [clip({ prompt: 'x', seconds: 40 })], 'steps.0.params.seconds', /from 5 to 10/],
  ['a post without text and url', [{ type: 'post' }], 'steps.0.params.text', /text, a url or both/],
  ['a post whose url is not HTTP', [post({ url: 'ftp://a' })], 'steps.0.params.url', /http\(s\)/],
  [
    'a template for the first step in itself',
    [text('{{steps.1.text}}')],
    'steps.0.params.prompt',
    /first step has none/,
  ],
  ['a template for a later step', [text('{{steps.2.text}}'), TEXT], 'steps.0.params.prompt', /earlier steps/],
  [
    'a template for a step that does not exist',
    [TEXT, text('{{steps.7.text}}')],
    'steps.1.params.prompt',
    /those are 1 to 1/,
  ],
  [
    'a template for the text of an image',
    [image({ prompt: 'x' }), text('{{steps.1.text}}')],
    'steps.1.params.prompt',
    /step 1 \(image\) leaves url/,
  ],
  [
    'a template for the url of a post without one',
    [post({ text: 'x' }), text('{{steps.1.url}}')],
    'steps.1.params.prompt',
    /leaves text/,
  ],
  [
    'a template deep in a list',
    [clip({ prompt: 'x', references: ['{{steps.0.url}}'] })],
    'steps.0.params.references.0',
    /is not a template/,
  ],
])('rejects a flow with %s, and names the field [I006 I078]', async (_, steps, param, message) => {
  const { message: actual } = expectError(await tryFlow(ann, steps), 400, 'invalid_request', param);
  expect(actual).toMatch(message);
});

it('rejects a flow with an unknown model, and names its step and field [I132]', async () => {
  const answer = await tryFlow(ann, [{ type: 'text', params: { prompt: 'x', model: 'svc-none' } }]);
  expectError(answer, 404, 'model_not_found', 'steps.0.params.model');
});

it.each<[string, Step[]]>([
  ['a voice', [step('speech', { input: 'x', voice: '{{inputs.voice}}' })]],
  ['a number', [song({ style: 'x', seconds: '{{inputs.seconds}}' })]],
  ['a model', [{ type: 'image', params: { prompt: 'x', model: '{{inputs.model}}' } }]],
  ['a picture of an earlier step', [image({ prompt: 'x' }), clip({ prompt: 'x', references: ['{{steps.1.url}}'] })]],
  ['a text of a post', [post({ text: '{{ inputs.a.b.0 }}' }), text('{{steps.1.text}}')]],
])('accepts a template for %s, whose value is known only during the flow run [I078]', async (_, steps) => {
  expect((await tryFlow(ann, steps)).status).toBe(201);
});

it('warns of unknown params of a flow step, and rejects them in strict mode [I003 I004 I132]', async () => {
  const steps = [{ type: 'image', params: { prompt: 'x', mood: 'blue' } }];
  const answer = await tryFlow(ann, steps);
  expect(answer.status).toBe(201);
  expect(answer.headers.get('svc-emulator-warnings')).toBe('steps.0.params.mood');
  expectError(await tryFlow(await strict.account(), steps), 400, 'invalid_request', 'steps.0.params.mood');
});

it('rejects a flow whose payer is in another workspace', async () => {
  const bob = await emulator.account();
  expectError(await tryFlow(ann, [TEXT], { account_id: bob.id }), 400, 'invalid_request', 'account_id');
});

it('returns flow_not_found for the deletion of an unknown flow', async () => {
  expectError(await emulator.control('DELETE', '/flows/flow_none'), 404, 'flow_not_found');
});

it('fills a template with a number as a number, or as digits where a text is required [I078]', async () => {
  const steps = [
    { type: 'speech', params: { input: '{{inputs.n}}', voice: '{{inputs.voice}}' } },
    { type: 'image', params: { prompt: 'Take {{inputs.n}} steps.', cfg_scale: '{{inputs.n}}' } },
  ];
  const cat = await emulator.account();
  const run = await runFlow(cat, steps, { n: 7, voice: 'orion' });
  expect(run.status).toBe('done');
  const [speech, picture] = await cat.library();
  expect(speech?.recipe).toMatchObject({ input: '7', voice: 'orion' });
  expect(picture?.recipe).toMatchObject({ prompt: 'Take 7 steps.', cfg_scale: 7 });
});

const INPUTS = {
  name: 'Ann',
  n: 3,
  on: true,
  list: [1, [2]],
  deep: { a: { b: 'c' } },
  none: null,
  raw: '{{inputs.n}}',
};

it.each([
  ['{{inputs.name}}', 'Ann'],
  ['Hi {{ inputs.name }}!', 'Hi Ann!'],
  ['{{inputs.n}}-{{inputs.on}}', '3-true'],
  ['{{inputs.deep.a.b}}{{inputs.list.1.0}}', 'c2'],
  ['{{inputs.list}}', '[1,[2]]'],
  ['no braces, { one }, }} and {', 'no braces, { one }, }} and {'],
  ['<{{inputs.raw}}>', '<{{inputs.n}}>'],
])(
  'fills the template %j of a waiting post, but does not fill a template inside an input [I078]',
  async (template, filled) => {
    expect((await runFlow(ann, [post({ text: template })], INPUTS)).waiting.text).toBe(filled);
  },
);

it.each(['{{inputs.none}}', '{{inputs.name.length}}', '{{inputs.__proto__}}', '{{inputs.constructor.name}}'])(
  'fails a flow run whose template %s has no value, even if JavaScript has a property of that name',
  async (template) => {
    const { failure } = await runFlow(ann, [post({ text: template })], INPUTS);
    expect(failure.message).toContain(`${template} has no value`);
  },
);

it.each([
  ...['{{}}', '{{ }}', '{{inputs}}', '{{inputs.}}', '{{inputs.a b}}', '{{steps.0.text}}', '{{__proto__}}'],
  ...['{{steps.1}}', '{{steps.1.name}}', '{{steps.x.text}}', '{{env.PATH}}', '{{{inputs.a}}}', '{{constructor.name}}'],
  ...[`{{inputs.${'a'.repeat(300)}}}`, '{{'],
])('rejects %j in a flow, because it is not a template', async (prompt) => {
  const { message } = expectError(await tryFlow(ann, [text(prompt)]), 400, 'invalid_request', 'steps.0.params.prompt');
  expect(message).toContain('is not a template');
});

async function take(prompt: string) {
  const account = await emulator.account();
  return { account, answer: await tryFlow(account, [text(prompt)], { account_id: account.id }) };
}

it.each([
  ['500,000 times {{', '{{'.repeat(500_000)],
  ['braces in braces', `${'{{'.repeat(5000)}a${'}}'.repeat(5000)}`],
  ['1,001 templates', '{{inputs.t}}'.repeat(1001)],
  ['80,000 templates', '{{inputs.t}}'.repeat(80_000)],
])('rejects a flow whose text contains %s', async (_what, prompt) => {
  const { answer } = await take(prompt);
  expect(expectError(answer, 400, 'invalid_request').message.length).toBeLessThan(300);
});

it.each([
  [
    'reads the prototype of its inputs',
    '{{inputs.__proto__.polluted}}{{inputs.constructor.name}}',
    '{"__proto__": {"polluted": 1}}',
  ],
  ['fills in 100 MB', '{{inputs.t}}'.repeat(100), JSON.stringify({ t: 'y'.repeat(1_000_000) })],
])('fails a flow run whose step %s, and charges nothing', async (_what, prompt, inputs) => {
  const { account, answer } = await take(prompt);
  const { body: run } = await emulator.call('POST', `/_emulator/flows/${answer.body.id}/runs`, `{"inputs":${inputs}}`, {
    'content-type': 'application/json',
  });
  const { body: ended } = await emulator.wait(`run:${run.id}`, { timeout: 120 });
  expect([ended.status, ended.failure.message]).toEqual(['failed', expect.stringMatching(/has no value|over 32 MiB/)]);
  expect(await account.ledger()).toEqual(['grant 50']);
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
});
