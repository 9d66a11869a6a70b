import { expect, it } from 'vitest';
import { eventSchema } from '../../src/events.ts';
import { callHook, makeFlow, RunReceiver, type Step, settledRun, TEXT } from '../support/flow-rig.ts';
import { expectError } from '../support/wire.ts';
import { type Envelope, type TestAccount, world } from '../support/world.ts';

const emulator = await world();
const WEEK = 7 * 24 * 3600;
const INPUTS = { topic: 'a lighthouse in the fog' };

const STEPS: Step[] = [
  { nodeId: 'words', type: 'text', params: { prompt: 'Tell of {{inputs.topic}}.' } },
  { nodeId: 'cover', type: 'image', params: { prompt: '{{inputs.topic}} at dusk' } },
  {
    nodeId: 'publish',
    type: 'post',
    params: { text: '{{steps.1.text}}', url: '{{steps.2.url}}' },
  },
  {
    nodeId: 'spoken',
    type: 'speech',
    params: { input: '{{steps.3.text}}', voice: 'aria' },
  },
];

/** An account with a receiver for its runs, and a run that has come as far as it can by itself. */
async function story(steps: Step[] = STEPS, inputs: object = INPUTS) {
  const ann = await emulator.account({ credits: 100 });
  const receiver = await RunReceiver.of(ann);
  const flow = await makeFlow(ann, steps);
  const run = await settledRun(ann, await callHook(ann, flow.hook_url, inputs));
  return { ann, receiver, flow, run };
}

function click(id: string, body: object) {
  return emulator.control('POST', `/runs/${id}/click`, body);
}

/** No other event was sent, none was delivered twice, and the state is consistent. */
async function expectTold(ann: TestAccount, types: string[]): Promise<void> {
  await ann.delivered();
  const own = (await ann.events()).filter((type) => type.startsWith('flow.'));
  expect(own).toEqual(types);
  expect((await ann.deliveries()).map(({ type, status }) => [type, status])).toEqual(
    types.map((type) => [type, 'delivered']),
  );
  expect(await emulator.invariants()).toMatchObject({ ok: true });
}

it('completes a flow run whose post is approved with a new text after weeks [R054 R055 R056 R057 R058 R113 R115 R221 R222 R226 R227 R229 R230 I078 I079 I080 I082 I133 I134 I160]', async () => {
  const { ann, receiver, flow, run } = await story();
  expect(run).toMatchObject({
    status: 'waiting',
    source: 'webhook',
    credits: 13,
    finishedAt: null,
  });
  const [waiting] = (await receiver.told(1)) as [Envelope];
  const [words, cover] = waiting.data.outputs;
  expect(Object.keys(waiting.data)).toEqual(['flow', 'run', 'outputs', 'waiting']);
  expect(waiting).toMatchObject({
    type: 'flow.run.waiting',
    data: {
      flow: { id: flow.id, name: 'Daily post' },
      run: { id: run.id, status: 'waiting', source: 'webhook', credits: 13, inputs: INPUTS },
      waiting: {
        ...{ step: 3, nodeId: 'publish', type: 'post', text: words.text, url: cover.url },
        postId: expect.stringMatching(/^post_/),
      },
    },
  });
  expect(Object.keys(waiting.data.run)).toEqual([
    ...['id', 'status', 'source', 'credits', 'startedAt', 'finishedAt', 'inputs'],
  ]);

  await emulator.advance(3 * WEEK);
  expect((await emulator.control('GET', `/runs/${run.id}`)).body.status).toBe('waiting');
  expect((await emulator.call('GET', cover.url)).status).toBe(403);
  const text = 'Fog rolls in, and the lamp answers.';
  // Signed URLs change each second. The frozen clock gives the event and the run the same URLs.
  await emulator.control('PUT', '/clock', { frozen: true });
  expect((await click(run.id, { choice: 'approve', text })).body.status).toBe('running');
  const done = await settledRun(ann, run.id);
  const [, told] = await receiver.told(2);
  await emulator.control('PUT', '/clock', { frozen: false });
  expect(told).toMatchObject({ type: 'flow.run.succeeded', data: { outputs: done.outputs } });
  expect(Object.keys(told?.data)).toEqual(['flow', 'run', 'outputs']);
  expect(told?.data.run).toMatchObject({ status: 'done', credits: 16, startedAt: run.startedAt });
  expect(Date.parse(told?.data.run.finishedAt) - Date.parse(run.startedAt)).toBeGreaterThan(3 * WEEK * 1000);
  await expectOutputs(told?.data.outputs, text);

  expect(await ann.ledger()).toEqual(['grant 50', 'top_up 50', 'charge -3', 'charge -10', 'charge -3']);
  await expectTold(ann, ['flow.run.waiting', 'flow.run.succeeded']);
});

// biome-ignore lint/suspicious/noExplicitAny: outputs are asserted field by field
async function expectOutputs(outputs: any[], text: string): Promise<void> {
  const [words, cover, post, spoken] = outputs;
  expect(outputs).toEqual([
    { step: 1, nodeId: 'words', type: 'text', kind: 'text', text: expect.stringMatching(/\w/) },
    {
      ...{ step: 2, nodeId: 'cover', type: 'image', kind: 'image', url: cover.url },
      creationId: expect.stringMatching(/^lib_/),
    },
    { step: 3, nodeId: 'publish', type: 'post', kind: 'post', text, url: cover.url },
    {
      ...{ step: 4, nodeId: 'spoken', type: 'speech', kind: 'audio', url: spoken.url },
      creationId: expect.stringMatching(/^lib_/),
    },
  ]);
  expect(post.text).not.toBe(words.text);
  // URLs are signed when they are sent: they are valid for 7 days from now, although the picture is three weeks old.
  const now = Date.parse((await emulator.control('GET', '/clock')).body.now) / 1000;
  for (const { url } of [cover, spoken]) {
    const expires = Number(new URL(url).searchParams.get('expires'));
    expect(Math.abs(expires - now - WEEK)).toBeLessThan(60);
    expect((await emulator.call('GET', url)).status).toBe(200);
  }
}

const SHOWN: Step = { type: 'post', params: { text: '{{inputs.topic}}' } };
const PICTURE: Step = { type: 'image', params: { prompt: '{{inputs.topic}}' } };

it.each<[string, Step[], number]>([
  ['a text', [TEXT, SHOWN], 3],
  ['two texts', [TEXT, TEXT, SHOWN], 6],
  ['a text, a picture and a text', [TEXT, PICTURE, TEXT, SHOWN], 16],
  ['nothing', [SHOWN], 0],
])(
  'reports the cost of a flow run with %s before its post, in the event `flow.run.waiting` and in the sample of this event [R057 R203]',
  async (_, steps, credits) => {
    const { ann, receiver, run } = await story(steps);
    const [waiting] = await receiver.told(1);
    const samples = await ann.get('/webhooks/samples?event=flow.run.waiting');
    expect(waiting?.data.run).toMatchObject({ status: 'waiting', credits });
    expect(samples.body.events[0]).toEqual(waiting);
    expect(run.credits).toBe(credits);
    const charged = (await ann.ledger()).slice(2).map((entry: string) => Number(entry.split(' ')[1]));
    expect(charged.reduce((sum, amount) => sum - amount, 0)).toBe(credits);
  },
);

it('fails a flow run that a click rejects, and keeps the charges of completed steps [R114 R221 R228 I082]', async () => {
  const { ann, receiver, run } = await story();
  const { body } = await click(run.id, { choice: 'reject' });
  const failure = { step: 3, nodeId: 'publish', type: 'post', message: 'rejected' };
  expect(body).toMatchObject({ status: 'failed', credits: 13, failure });
  const [, told] = await receiver.told(2);
  expect(told).toMatchObject({ type: 'flow.run.failed', data: { run: { credits: 13 }, failure } });
  expect(Object.keys(told?.data)).toEqual(['flow', 'run', 'outputs', 'failure']);
  expect(told?.data.outputs).toHaveLength(2);
  expect(await ann.ledger()).toEqual(['grant 50', 'top_up 50', 'charge -3', 'charge -10']);
  await expectTold(ann, ['flow.run.waiting', 'flow.run.failed']);
});

it('fails a flow run if its first or second step fails, refunds that step, and starts no later one [R114 R228 I081 I185 R005]', async () => {
  const { ann, receiver, run } = await story(STEPS, { topic: 'a storm [[fail:no_light]]' });
  const failed = {
    ...{ type: 'flow.run.failed' },
    data: {
      run: { id: run.id, status: 'failed', credits: 0 },
      failure: {
        step: 1,
        nodeId: 'words',
        type: 'text',
        message: expect.stringMatching(/no_light/),
      },
    },
  };
  expect((await receiver.told(1))[0]).toMatchObject(failed);
  expect(await ann.ledger()).toEqual(['grant 50', 'top_up 50', 'charge -3', 'refund 3']);

  const second = await story([
    STEPS[0] as Step,
    { nodeId: 'cover', type: 'image', params: { prompt: 'x [[fail]]' } },
    STEPS[2] as Step,
  ]);
  const [told] = await second.receiver.told(1);
  expect(told?.data).toMatchObject({
    run: { status: 'failed', credits: 3 },
    failure: {
      step: 2,
      nodeId: 'cover',
      type: 'image',
      message: expect.stringMatching(/refunded/),
    },
    outputs: [{ step: 1, kind: 'text' }],
  });
  expect(told?.data.outputs).toHaveLength(1);
  expect(await second.ann.ledger()).toEqual([...['grant 50', 'top_up 50', 'charge -3', 'charge -10', 'refund 10']]);
  expect(await second.ann.events()).toEqual(['image.generation.failed', 'flow.run.failed']);
  expect(await second.ann.library()).toEqual([]);
  await expectTold(second.ann, ['flow.run.failed']);
});

it('fails a flow run at the step that the credits do not cover, without a charge for it [I081 I010]', async () => {
  const { ann, receiver, run } = await story([
    ...STEPS.slice(0, 2),
    { type: 'video', params: { prompt: 'x', duration: '10s' } },
  ]);
  expect(run).toMatchObject({ status: 'failed', credits: 13, failure: { step: 3, type: 'video' } });
  const [told] = await receiver.told(1);
  expect(told?.data.failure.message).toMatch(/costs 180 credits and the balance is 87/);
  expect(await ann.ledger()).toEqual(['grant 50', 'top_up 50', 'charge -3', 'charge -10']);
  await expectTold(ann, ['flow.run.failed']);
});

it('fails a flow run without a required input, names the template, and charges nothing [I081]', async () => {
  const { ann, run } = await story(STEPS, { title: 'x' });
  expect(run.failure).toEqual({
    ...{ step: 1, nodeId: 'words', type: 'text' },
    message: '{{inputs.topic}} has no value: the inputs of this run have no "topic".',
  });
  expect(await ann.ledger()).toEqual(['grant 50', 'top_up 50']);
  await expectTold(ann, ['flow.run.failed']);
});

it('accepts one of three parallel approvals and rejections of a waiting post, and none afterwards [I082 I134 I167]', async () => {
  const { ann, receiver, run } = await story();
  const answers = await Promise.all([
    click(run.id, { choice: 'approve' }),
    click(run.id, { choice: 'approve' }),
    click(run.id, { choice: 'reject' }),
  ]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  const late = answers.find(({ status }) => status === 409);
  if (late) expect(expectError(late, 409, 'not_waiting').message).toMatch(/waits for no click/);
  await settledRun(ann, run.id);
  expectError(await click(run.id, { choice: 'approve' }), 409, 'not_waiting');
  expectError(await click('run_none', { choice: 'approve' }), 404, 'not_found');
  expectError(await click(run.id, { choice: 'maybe' }), 400, 'invalid_request');
  await receiver.told(2);
  const paid = (await ann.ledger()).filter((entry) => entry.startsWith('charge'));
  expect(paid.length).toBeLessThanOrEqual(3);
  expect(await emulator.invariants()).toMatchObject({ ok: true });
});

it.each([
  ['text', { text: 'Good evening.' }],
  ['URL', { url: 'https://example.com/cover.png' }],
])('omits the missing field from the event of a waiting post that has only a %s [R229]', async (_, params) => {
  const { receiver, run } = await story([{ nodeId: 'publish', type: 'post', params }]);
  const [told] = await receiver.told(1);
  const waiting = { step: 1, nodeId: 'publish', type: 'post', postId: told?.data.waiting.postId, ...params };
  expect(told?.data.waiting).toEqual(waiting);
  expect(eventSchema.parse(told)).toEqual(told);
  expect(run.waiting).toEqual(waiting);
});

it('sends only the events of one flow to an endpoint with its flow_id [R195]', async () => {
  const ann = await emulator.account();
  const post: Step[] = [{ type: 'post', params: { text: 'x' } }];
  const [mine, other] = [await makeFlow(ann, post), await makeFlow(ann, post)];
  const receiver = await RunReceiver.of(ann, { flow_id: mine.id });
  for (const flow of [other, mine]) await callHook(ann, flow.hook_url, {});
  await emulator.advance(0);
  expect((await receiver.told(1)).map(({ data }) => data.flow.id)).toEqual([mine.id]);
  expect(await ann.events()).toEqual(['flow.run.waiting', 'flow.run.waiting']);
  expect(await ann.deliveries()).toHaveLength(1);
});
