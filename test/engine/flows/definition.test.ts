import { expect, it } from 'vitest';
import { makeFlow, runFlow, type Step, TEXT, tryFlow } from '../../support/flow-rig.ts';
import { expectError } from '../../support/wire.ts';
import { world } from '../../support/world.ts';

const emulator = await world();
const strict = await world({ strict: true });
const ann = await emulator.account();

const image = (params: object): Step => ({ type: 'image', params: params as Step['params'] });
const text = (prompt: string): Step => ({ type: 'text', params: { prompt } });

it.each<[string, Step[], string, RegExp]>([
  ['no steps', [], 'steps', /at least 1/],
  ['an unknown type', [{ type: 'dance' }], 'steps.0.type', /"text"/],
  ['a text without a prompt', [{ type: 'text' }], 'steps.0.params.prompt', /Step 1 \(a\).*missing/],
  ['a name twice', [TEXT, { ...TEXT, nodeId: 'a' }], 'steps.1.nodeId', /step 1 has already/],
  [
    'a wrong voice',
    [TEXT, { type: 'speech', params: { input: 'x', voice: 'bob' } }],
    'steps.1.params.voice',
    /Step 2 \(b\): voice must be/,
  ],
  ['a wrong type of a field', [image({ prompt: 'x', cfg_scale: 'much' })], 'steps.0.params.cfg_scale', /number/],
  [
    'a length that no song has',
    [{ type: 'music', params: { style: 'x', seconds: 31 } }],
    'steps.0.params.seconds',
    /multiple of 30/,
  ],
  ['two takes', [{ type: 'music', params: { style: 'x', n: 2 } }], 'steps.0.params.n', /must be 1/],
  ['a song of nothing', [{ type: 'music', params: { title: 'x' } }], 'steps.0.params.prompt', /at least one of/],
  [
    'a clip that no engine makes',
    [{ type: 'video', params: { prompt: 'x', seconds: 40 } }],
    'steps.0.params.seconds',
    /from 5 to 10/,
  ],
  ['a post of nothing', [{ type: 'post' }], 'steps.0.params.text', /text, a url or both/],
  ['a post whose url is none', [{ type: 'post', params: { url: 'ftp://a' } }], 'steps.0.params.url', /http\(s\)/],
  ['a template of its own', [text('{{steps.1.text}}')], 'steps.0.params.prompt', /first step has none/],
  ['a template of a later step', [text('{{steps.2.text}}'), TEXT], 'steps.0.params.prompt', /earlier steps/],
  ['a template of no step', [TEXT, text('{{steps.7.text}}')], 'steps.1.params.prompt', /those are 1 to 1/],
  [
    'a text of a picture',
    [image({ prompt: 'x' }), text('{{steps.1.text}}')],
    'steps.1.params.prompt',
    /step 1 \(image\) leaves url/,
  ],
  [
    'a url of a text',
    [TEXT, { type: 'post', params: { url: '{{steps.1.url}}' } }],
    'steps.1.params.url',
    /step 1 \(text\) leaves text/,
  ],
  [
    'a url of a post without one',
    [{ type: 'post', params: { text: 'x' } }, text('{{steps.1.url}}')],
    'steps.1.params.prompt',
    /leaves text/,
  ],
  ['an unknown template', [text('Hello {{name}}')], 'steps.0.params.prompt', /\{\{name\}\} is no template/],
  ['code in a template', [text('{{inputs.a + 1}}')], 'steps.0.params.prompt', /is no template/],
  ['a template that does not end', [text('Hello {{inputs.name')], 'steps.0.params.prompt', /is no template/],
  [
    'a template deep in a list',
    [{ type: 'video', params: { prompt: 'x', references: ['{{steps.0.url}}'] } }],
    'steps.0.params.references.0',
    /is no template/,
  ],
])('refuses a flow with %s, naming step and field [I006 I078]', async (_, steps, param, message) => {
  const error = expectError(await tryFlow(ann, steps), 400, 'invalid_request');
  expect(error.param).toBe(param);
  expect(error.message).toMatch(message);
});

it('names an unknown model by step and field [I078 I132]', async () => {
  const answer = await tryFlow(ann, [{ type: 'text', params: { prompt: 'x', model: 'svc-none' } }]);
  expectError(answer, 404, 'model_not_found', 'steps.0.params.model');
});

it.each<[string, Step[]]>([
  ['a voice', [{ type: 'speech', params: { input: 'x', voice: '{{inputs.voice}}' } }]],
  ['a number', [{ type: 'music', params: { style: 'x', seconds: '{{inputs.seconds}}' } }]],
  ['a model', [{ type: 'image', params: { prompt: 'x', model: '{{inputs.model}}' } }]],
  [
    'a picture of an earlier step',
    [image({ prompt: 'x' }), { type: 'video', params: { prompt: 'x', references: ['{{steps.1.url}}'] } }],
  ],
  ['a text of a post', [{ type: 'post', params: { text: '{{ inputs.a.b.0 }}' } }, text('{{steps.1.text}}')]],
])('takes a template for %s, whose value only a run knows [I078]', async (_, steps) => {
  expect((await tryFlow(ann, steps)).status).toBe(201);
});

it('names params that no endpoint knows, and refuses them in strict mode [I007 I132]', async () => {
  const steps = [{ type: 'image', params: { prompt: 'x', mood: 'blue' } }];
  const answer = await tryFlow(ann, steps);
  expect(answer.status).toBe(201);
  expect(answer.headers.get('svc-emulator-warnings')).toBe('steps.0.params.mood');
  expectError(await tryFlow(await strict.account(), steps), 400, 'invalid_request', 'steps.0.params.mood');
});

it('exports a flow without ids, and makes the same one of it [I078]', async () => {
  const flow = await makeFlow(ann, [TEXT, image({ prompt: '{{steps.1.text}}' })]);
  const { body: kept } = await emulator.control('GET', `/flows/${flow.id}/definition`);
  expect(kept).toEqual({ name: 'Daily post', steps: flow.steps });
  expect(JSON.stringify(kept)).not.toMatch(/flow_|ws_|acct_/);
  const order = { workspace_id: ann.workspaceId, ...kept };
  const { body: again } = await emulator.control('POST', '/flows', order);
  expect(again).toMatchObject({ ...kept, version: 1 });
  expect(again.id).not.toBe(flow.id);
});

it('gives a changed flow its next version, checked as the first one', async () => {
  const flow = await makeFlow(ann, [TEXT]);
  const path = `/flows/${flow.id}/definition`;
  const steps = [{ nodeId: 'z', type: 'text', params: { prompt: 'Another one.' } }];
  const { body: changed } = await emulator.control('PUT', path, { name: 'Other', steps });
  expect(changed).toMatchObject({ id: flow.id, version: 2, name: 'Other', steps });
  expect(changed.hook_url).toBe(flow.hook_url);
  const wrong = { name: 'Other', steps: [{ ...steps[0], params: {} }] };
  expectError(await emulator.control('PUT', path, wrong), 400, 'invalid_request', 'steps.0.params.prompt');
  expect((await emulator.control('GET', `/flows/${flow.id}`)).body).toEqual(changed);
});

it('makes no flow that another workspace would pay for', async () => {
  const bob = await emulator.account();
  expectError(await tryFlow(ann, [TEXT], { account_id: bob.id }), 400, 'invalid_request', 'account_id');
  const flow = await makeFlow(ann, [TEXT]);
  const change = await emulator.control('PATCH', `/flows/${flow.id}`, { account_id: bob.id });
  expectError(change, 400, 'invalid_request', 'account_id');
});

it.each(['GET', 'DELETE', 'PATCH'])('answers %s of a flow that there is not with flow_not_found', async (method) => {
  const body = method === 'PATCH' ? {} : undefined;
  expectError(await emulator.control(method, '/flows/flow_none', body), 404, 'flow_not_found');
});

it('fills a lone template of a number as the number, and as its digits where a text is wanted [I078]', async () => {
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

it('checks a flow without making it, and names what is wrong with each step [I078]', async () => {
  const flow = {
    name: 'Draft',
    steps: [
      { nodeId: 'a', type: 'text', params: { prompt: '{{inputs.x}}', mood: 'x' } },
      { nodeId: 'a', type: 'speech', params: { input: '{{steps.1.url}}', voice: 'aria' } },
      { nodeId: 'c', type: 'image', params: {} },
    ],
  };
  const before = (await emulator.control('GET', '/flows')).body.data;
  const { status, body } = await emulator.control('POST', '/check-flow', flow);
  expect([status, body.ok]).toEqual([200, false]);
  expect(body.errors.map(({ param }: { param: string }) => param)).toEqual([
    'steps.1.nodeId',
    'steps.1.params.input',
    'steps.2.params.prompt',
  ]);
  expect(body.ignored).toEqual(['steps.0.params.mood']);
  const empty = await emulator.control('POST', '/check-flow', { name: 'Draft', steps: [] });
  expect(empty.body).toMatchObject({ ok: false, errors: [{ param: 'steps' }] });
  const good = { ...flow, steps: flow.steps.slice(0, 1) };
  const checked = await emulator.control('POST', '/check-flow', good);
  expect(checked.body).toMatchObject({ ok: true, errors: [] });
  expect((await strict.control('POST', '/check-flow', good)).body.ok).toBe(false);
  expect((await emulator.control('GET', '/flows')).body.data).toEqual(before);
});
