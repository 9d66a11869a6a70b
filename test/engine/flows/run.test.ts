import { expect, it } from 'vitest';
import { callHook, makeFlow, runFlow, type Step, settledRun, TEXT } from '../../support/flow-rig.ts';
import { expectError } from '../../support/wire.ts';
import { type TestAccount, world } from '../../support/world.ts';

const emulator = await world();
const SONG: Step = { type: 'music', params: { style: 'slow piano', seconds: 30, instrumental: true } };
const POST: Step = { type: 'post', params: { text: 'x' } };
const slow = (step: Step, seconds: number): Step => ({
  ...step,
  params: { ...step.params, [step.type === 'music' ? 'style' : 'prompt']: `x [[slow:${seconds}]]` },
});

function cancel(id: string) {
  return emulator.control('POST', `/runs/${id}/cancel`);
}

async function start(account: TestAccount, steps: Step[], inputs: object = {}): Promise<string> {
  const flow = await makeFlow(account, steps);
  return callHook(account, flow.hook_url, inputs);
}

it('charges flow steps like their operations, and adds their media to the library of the payer [I080 I132 I160]', async () => {
  const ann = await emulator.account({ plan: 'studio', credits: 1000 });
  const steps: Step[] = [
    { type: 'image', params: { prompt: 'a red boat', store: true } },
    { type: 'video', params: { model: 'svc-motion-one', prompt: 'it sails', references: ['{{steps.1.url}}'] } },
    { type: 'video', params: { prompt: 'a red boat' } },
    SONG,
    { type: 'speech', params: { input: 'Ahoy.', voice: 'orion' } },
    { type: 'text', params: { prompt: 'Ahoy.', model: 'svc-rp-mini' } },
  ];
  const run = await runFlow(ann, steps);
  expect(run).toMatchObject({ status: 'done', credits: 12 + 60 + 100 + 3 + 3 + 1 });
  expect(await ann.ledger()).toEqual([
    ...['grant 50', 'top_up 950', 'charge -12', 'charge -60', 'charge -100', 'charge -3'],
    ...['charge -3', 'charge -1'],
  ]);
  const kinds = run.outputs.map(({ kind }: { kind: string }) => kind);
  expect(kinds).toEqual(['image', 'video', 'video', 'audio', 'audio', 'text']);
  const library = await ann.library();
  const renders = run.outputs.slice(0, 5);
  expect(renders.map(({ creationId }: { creationId: string }) => creationId)).toEqual(library.map(({ id }) => id));
  for (const { url } of renders) expect((await emulator.call('GET', url)).status).toBe(200);
  expect((await ann.get('/storage/objects')).body.data[0].url).toBe(run.outputs[0].url);
  expect((await ann.events()).slice(0, -1)).toEqual([
    ...['image.generation.succeeded', 'video.generation.succeeded'],
    ...['video.generation.succeeded', 'music.generation.succeeded'],
  ]);
  expect(await emulator.invariants()).toMatchObject({ ok: true });
});

it('starts a flow run with a control operation, charges the account of the flow, not the owner, and rejects the cancellation of a finished run [I079 I132]', async () => {
  const owner = await emulator.account();
  const member = await emulator.account({ workspace_id: owner.workspaceId });
  const flow = await makeFlow(owner, [TEXT], { account_id: member.id });
  const { status, body } = await emulator.control('POST', `/flows/${flow.id}/runs`, { inputs: { topic: 'tea' } });
  expect(status).toBe(202);
  expect(body).toMatchObject({ status: 'running', source: 'manual', finishedAt: null, credits: 0 });
  expect((await settledRun(member, body.id)).status).toBe('done');
  expectError(await cancel(body.id), 409, 'conflict');
  expectError(await cancel('run_none'), 404, 'not_found');
  expect(await member.ledger()).toEqual(['grant 50', 'charge -3']);
  expect(await owner.ledger()).toEqual(['grant 50']);
  expect(await member.events()).toEqual(['flow.run.succeeded']);
  expect(await owner.events()).toEqual([]);
});

it('finishes a flow run whose flow was deleted', async () => {
  const ann = await emulator.account();
  const flow = await makeFlow(ann, [POST, TEXT]);
  const id = await callHook(ann, flow.hook_url, { topic: 'tea' });
  await settledRun(ann, id);
  await emulator.control('DELETE', `/flows/${flow.id}`);
  await emulator.control('POST', `/runs/${id}/click`, { choice: 'approve' });
  const run = await settledRun(ann, id);
  expect(run).toMatchObject({ status: 'done', flow: { id: flow.id, name: 'Daily post' } });
  expect(run.outputs.map(({ nodeId }: { nodeId: string }) => nodeId)).toEqual(['a', 'b']);
});

it.each<[string, Step[], object, string[]]>([
  ['renders a slow song', [slow(SONG, 3600), TEXT], { type: 'music' }, ['charge -3', 'refund 3']],
  ['writes a slow text', [slow(TEXT, 3600), TEXT], { type: 'text' }, ['charge -3', 'refund 3']],
  ['waits for the click of a post', [POST, TEXT], { type: 'post' }, []],
])(
  'cancels a flow run that %s, and refunds only the charge of its open step [I186 R005]',
  async (_, steps, failure, moved) => {
    const ann = await emulator.account();
    const id = await start(ann, [{ type: 'text', params: { prompt: 'Hello.' } }, ...steps]);
    await settledRun(ann, id);
    const { body } = await cancel(id);
    expect(body).toMatchObject({
      ...{ status: 'failed', credits: 3 },
      failure: { step: 2, nodeId: 'b', message: 'cancelled', ...failure },
    });
    expectError(await cancel(id), 409, 'conflict');
    await emulator.advance(4000);
    expect(await ann.ledger()).toEqual(['grant 50', 'charge -3', ...moved]);
    expect((await ann.events()).at(-1)).toBe('flow.run.failed');
    expect((await ann.events()).filter((type) => type.startsWith('flow.run.'))).toHaveLength(
      failure && 'type' in failure && failure.type === 'post' ? 2 : 1,
    );
    expect(await ann.library()).toEqual([]);
    expect(await emulator.invariants()).toMatchObject({ ok: true });
  },
);

it('delays a slow flow step until its time, and completes the run when the clock is moved [I080 I124]', async () => {
  const here = await world();
  await here.control('PUT', '/clock', { frozen: true });
  const ann = await here.account();
  const id = await start(ann, [slow(TEXT, 600), SONG, TEXT], { topic: 'tea' });
  expect((await settledRun(ann, id)).outputs).toEqual([]);
  await here.advance(599);
  expect((await settledRun(ann, id)).status).toBe('running');
  await here.advance(1);
  const run = await settledRun(ann, id);
  expect(run).toMatchObject({ status: 'done', credits: 9 });
  expect(Date.parse(run.finishedAt) - Date.parse(run.startedAt)).toBeGreaterThanOrEqual(600_000);
});

it('ends the job of a flow step without a poll, except in mode manual [R225 I138]', async () => {
  const ann = await emulator.account();
  const progression = (mode: string | null, value?: number) =>
    emulator.control('PUT', '/progression', { mode, value, account_id: ann.id });
  await progression('polls', 5);
  expect((await runFlow(ann, [SONG])).status).toBe('done');
  await progression('manual');
  const id = await start(ann, [SONG]);
  expect((await settledRun(ann, id)).status).toBe('running');
  const [, job] = await ann.jobs();
  await emulator.control('POST', `/jobs/${job?.id}/finish`, { outcome: 'failed', code: 'no_studio' });
  expect(await settledRun(ann, id)).toMatchObject({ status: 'failed', credits: 0 });
  expect(await ann.ledger()).toEqual(['grant 50', 'charge -3', 'charge -3', 'refund 3']);
});

it('applies faults and scripted answers to the steps of a flow run [I080 I143]', async () => {
  const ann = await emulator.account();
  const rule = (effect: object) =>
    emulator.control('POST', '/faults', { match: { path: '/v1/images', account_id: ann.id }, effect });
  const picture: Step = { type: 'image', params: { prompt: 'a boat' } };
  await rule({ fail_job: 'no_paint' });
  expect(await runFlow(ann, [TEXT, picture], { topic: 'tea' })).toMatchObject({
    ...{ status: 'failed', credits: 3 },
    failure: { step: 2, message: expect.stringMatching(/no_paint/) },
  });
  await rule({ status: 503, code: 'closed' });
  expect((await runFlow(ann, [picture])).failure.message).toMatch(/503 closed/);
  expect(await ann.ledger()).toEqual(['grant 50', 'charge -3', 'charge -10', 'refund 10']);
  expect((await runFlow(ann, [picture])).status).toBe('done');

  const match = { account_id: ann.id, operation: 'chat', contains: 'tea' };
  await emulator.control('POST', '/fixtures', {
    fixtures: [{ match: { account_id: ann.id }, answer: { text: 'Scripted tea.' } }],
  });
  const run = await runFlow(ann, [TEXT], { topic: match.contains });
  expect(run.outputs[0].text).toBe('Scripted tea.');
});

it('completes forty flow runs that start at the same time, and charges each step once', async () => {
  const ann = await emulator.account({ credits: 1000 });
  const flow = await makeFlow(ann, [TEXT, { type: 'text', params: { prompt: '{{steps.1.text}}' } }]);
  const ids = await Promise.all(
    Array.from({ length: 40 }, (_, n) => callHook(ann, flow.hook_url, { topic: `tea ${n}` })),
  );
  await emulator.advance(0);
  const { body } = await emulator.control('GET', `/runs?flow_id=${flow.id}&status=done`);
  expect(body.data.map(({ id }: { id: string }) => id).sort()).toEqual(ids.sort());
  expect(await ann.balance()).toBe(1000 - 40 * 6);
  expect(await ann.events()).toEqual(Array(40).fill('flow.run.succeeded'));
  expect(await emulator.invariants()).toMatchObject({ ok: true });
});

it('waits for the end of a flow run, and reports an account as idle while its run waits for a click [I137 I193]', async () => {
  const ann = await emulator.account();
  const id = await start(ann, [TEXT, POST], { topic: 'tea' });
  const idle = await emulator.control('GET', `/wait?for=idle&account_id=${ann.id}`);
  expect(idle.body).toEqual({ for: 'idle', idle: true });
  expect(expectError(await emulator.control('GET', `/wait?for=run:${id}&timeout=0`), 408, 'timeout').message).toMatch(
    /waiting at step 2/,
  );
  const waiting = emulator.control('GET', `/wait?for=run:${id}`);
  await emulator.control('POST', `/runs/${id}/click`, { choice: 'approve' });
  expect((await waiting).body).toMatchObject({ for: `run:${id}`, id, status: 'done' });
  expectError(await emulator.control('GET', '/wait?for=run:run_none'), 404, 'not_found');
});

it('removes flow runs at a reset, whether they wait for a click or run', async () => {
  const here = await world();
  const ann = await here.account();
  for (const steps of [[POST], [slow(SONG, 600)], [slow(TEXT, 600)], [SONG]]) await start(ann, steps);
  await here.control('POST', '/reset');
  expect((await here.control('GET', '/runs')).body.data).toEqual([]);
  expect((await here.control('GET', '/flows')).body.data).toEqual([]);
  expect((await here.control('GET', '/events')).body.data).toEqual([]);
  expect(await here.invariants()).toMatchObject({ ok: true });
});
