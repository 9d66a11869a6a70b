import { expect, it } from 'vitest';
import { openBench } from './webhook-bench.ts';

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
] as const)(
  'makes up one example of %s, with every field of a real one [R046 R201 R213 I070]',
  async (type, fields) => {
    const bench = await openBench();
    const [example, ...more] = bench.webhooks.samples({ workspaceId: 'ws_1', type, baseUrl });
    expect(more).toEqual([]);
    expect(Object.keys(example ?? {})).toEqual(['id', 'type', 'created', 'data']);
    expect(example).toMatchObject({ id: expect.stringMatching(/^evt_sample_/), type });
    expect(Object.keys(example?.data ?? {}).sort()).toEqual([...fields].sort());
    expect(bench.webhooks.listEvents({ limit: 1 })).toEqual([]);
  },
);

it.each([
  ['flow.run.succeeded', 'done', expect.any(String)],
  ['flow.run.failed', 'failed', expect.any(String)],
  ['flow.run.waiting', 'waiting', null],
] as const)('shows in the example of %s a run that is %s', async (type, status, finishedAt) => {
  const bench = await openBench();
  const [example] = bench.webhooks.samples({ workspaceId: 'ws_1', type, baseUrl });
  const run = example?.data.run;
  expect(Object.keys(run ?? {}).sort()).toEqual(RUN);
  expect(run).toMatchObject({ status, finishedAt });
});

it('answers events of one flow, or an example of it when there are none [R202]', async () => {
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
  const of = (flowId: string) => bench.webhooks.samples({ workspaceId: 'ws_1', type, flowId, baseUrl });
  expect(of('flow_a').map((sample) => sample.id)).toEqual([id]);
  expect(of('flow_b')).toMatchObject([{ data: { flow: { id: 'flow_b', name: 'Flow flow_b' } } }]);
});
