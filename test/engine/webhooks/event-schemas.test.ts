import { expect, it } from 'vitest';
import { EVENT_TYPES, sentEvent } from '../../../src/engine/webhooks/event-schemas.ts';
import { errorSchema, eventSchema } from '../../../src/events.ts';
import { readPage } from '../../docs/follow-page.ts';
import { world } from '../../support/world.ts';
import { openBench } from './webhook-bench.ts';

const emulator = await world();

it.each(EVENT_TYPES)('publishes a schema for %s that its example fits', async (type) => {
  const account = await emulator.account();
  await emulator.control('POST', '/events/trigger', { type, workspace_id: account.workspaceId });
  const [envelope] = await account.envelopes();
  expect(eventSchema.parse(envelope)).toEqual(envelope);
  expect(sentEvent.parse(envelope)).toEqual(envelope);
});

it('publishes schemas that real events of succeeded and failed renders fit', async () => {
  const account = await emulator.account({ credits: 500 });
  await account.post('/images/generations', { prompt: 'a barn' });
  await account.post('/images/generations', { prompt: 'a barn [[fail]]' });
  await account.post('/videos/generations', { prompt: 'a barn', seconds: 5 });
  await account.post('/music/generations', { prompt: 'a waltz [[fail:take=2]]', seconds: 30 });
  await emulator.advance(0);
  const envelopes = await account.envelopes();
  expect(envelopes.map((each) => sentEvent.parse(each).type).toSorted()).toEqual([
    'image.generation.failed',
    'image.generation.succeeded',
    'music.generation.failed',
    'music.generation.succeeded',
    'video.generation.succeeded',
  ]);
});

const EVENT = {
  ...{ id: 'evt_1', type: 'image.generation.failed', created: 1 },
  data: { id: 'job_1', model: 'svc-image-one', error: { code: 'x', message: 'y' } },
};

it('parses events with unknown fields and types', () => {
  const { data } = EVENT;
  const later = { ...EVENT, mood: 'fine', data: { ...data, mood: 1, error: { ...data.error, mood: null } } };
  expect(eventSchema.parse(later)).toEqual(later);
  const unknown = { ...EVENT, type: 'image.generation.late', data: { anything: [1] } };
  expect(eventSchema.parse(unknown)).toEqual(unknown);
  expect(errorSchema.parse(ERROR)).toEqual(ERROR);
});

const ERROR = { error: { code: 'c', message: 'm', type: 't', param: null, hint: 'new' }, trace: 'new' };

it.each([
  ['data.error.code', { ...EVENT, data: { ...EVENT.data, error: { message: 'y' } } }],
  ['data.model', { ...EVENT, data: { ...EVENT.data, model: 7 } }],
  ['created', { ...EVENT, type: 'image.generation.late', created: 'now' }],
])('rejects an event with a wrong %s, and names it', (field, event) => {
  const read = eventSchema.safeParse(event);
  expect(read.error?.issues.map(({ path }) => path.join('.'))).toEqual([field]);
});

it('describes exactly the fields of sent events', () => {
  expect(sentEvent.safeParse(EVENT).success).toBe(true);
  expect(sentEvent.safeParse({ ...EVENT, mood: 'fine' }).success).toBe(false);
  expect(EVENT_TYPES).toEqual([
    ...['image.generation.succeeded', 'image.generation.failed'],
    ...['video.generation.succeeded', 'video.generation.failed'],
    ...['music.generation.succeeded', 'music.generation.failed'],
    ...['flow.run.succeeded', 'flow.run.failed', 'flow.run.waiting'],
  ]);
});

it('documents every type and field of events', () => {
  const [, chapter = ''] = /^## Events$([\s\S]*?)^## /m.exec(readPage('docs/webhook-receivers.md')) ?? [];
  const rows = [...chapter.matchAll(/^\| (.+?) \| (.+) \|$/gm)];
  for (const schema of sentEvent.unwrap().options) {
    const type = schema.shape.type.value;
    const row = rows.find(([, first = '']) => first.includes(`\`${type}\``));
    const told = [...(row?.[2] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name);
    expect([type, told]).toEqual([type, expect.arrayContaining(Object.keys(schema.shape.data.shape))]);
  }
  const shapes = sentEvent.unwrap().options.map(({ shape }) => shape.data.shape);
  const { run, waiting, outputs, flow } = shapes.find((shape) => 'waiting' in shape) ?? expect.unreachable();
  const parts = { run, waiting, outputs: outputs.element, flow };
  for (const [name, schema] of Object.entries(parts)) {
    const row = rows.find(([, first]) => first === `\`${name}\``);
    const told = [...(row?.[2] ?? '').matchAll(/`(\w+)`/g)].map(([, field]) => field);
    expect([name, told]).toEqual([name, expect.arrayContaining(Object.keys(schema.shape))]);
  }
});

const baseUrl = 'http://localhost:4600';
const GENERATION = ['content_type', 'id', 'library_id', 'model', 'result_url'];
const RUN = ['credits', 'finishedAt', 'id', 'inputs', 'source', 'startedAt', 'status'];

it.each([
  ['image.generation.succeeded', GENERATION],
  ['image.generation.failed', ['error', 'id', 'model']],
  ['video.generation.succeeded', GENERATION],
  ['video.generation.failed', ['error', 'id', 'model']],
  ['music.generation.succeeded', [...GENERATION, 'seed', 'take']],
  ['music.generation.failed', ['error', 'id', 'model', 'seed', 'take']],
  ['flow.run.succeeded', ['flow', 'outputs', 'run']],
  ['flow.run.failed', ['failure', 'flow', 'outputs', 'run']],
  ['flow.run.waiting', ['flow', 'outputs', 'run', 'waiting']],
] as const)('creates an example of %s with every field of a real event [R046 R201 R213 I070]', async (type, fields) => {
  const bench = await openBench();
  const [example, ...more] = bench.samples({ workspaceId: 'ws_1', type, baseUrl });
  expect(more).toEqual([]);
  expect(Object.keys(example ?? {})).toEqual(['id', 'type', 'created', 'data']);
  expect(example).toMatchObject({ id: expect.stringMatching(/^evt_sample_/), type });
  expect(Object.keys(example?.data ?? {}).sort()).toEqual([...fields].sort());
  expect(bench.events({ limit: 1 })).toEqual([]);
});

it.each([
  ['flow.run.succeeded', 'done', expect.any(String)],
  ['flow.run.failed', 'failed', expect.any(String)],
  ['flow.run.waiting', 'waiting', null],
] as const)('shows in the example of %s a flow run that is %s', async (type, status, finishedAt) => {
  const bench = await openBench();
  const [example] = bench.samples({ workspaceId: 'ws_1', type, baseUrl });
  const run = example?.data.run;
  expect(Object.keys(run ?? {}).sort()).toEqual(RUN);
  expect(run).toMatchObject({ status, finishedAt });
});

it('returns events of one flow, or an example if there are none [R202]', async () => {
  const bench = await openBench();
  await bench.addFlow('flow_a', 'ws_1', 'acct_1');
  await bench.addFlow('flow_b', 'ws_1', 'acct_1');
  const type = 'flow.run.failed' as const;
  const data = { flow: { id: 'flow_a' } };
  const id = await bench.database.transact((tx) =>
    bench.webhooks.events.publish(tx, {
      ...{ type, workspaceId: 'ws_1', accountId: 'acct_1', data, flowId: 'flow_a' },
    }),
  );
  const of = (flowId: string) => bench.samples({ workspaceId: 'ws_1', type, flowId, baseUrl });
  expect(of('flow_a').map((sample) => sample.id)).toEqual([id]);
  expect(of('flow_b')).toMatchObject([{ data: { flow: { id: 'flow_b', name: 'Flow flow_b' } } }]);
});
