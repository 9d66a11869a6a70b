import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import OpenAI from 'openai';
import { afterAll, expect, it } from 'vitest';
import { startEmulator } from '../../src/emulator.ts';
import { startEmulator as startLocal } from '../../src/index.ts';
import { Receiver } from '../support/receiver.ts';
import { runCommand } from '../support/run-command.ts';
import { ephemeral, World, world } from '../support/world.ts';
import { drift, type Passed, PatchingProxy } from './stand-in.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'overlay-'));
const file = path.join(folder, 'shapes.json');
const standIn = await world();

const STATES: Record<string, string> = { queued: 'pending', processing: 'rendering', succeeded: 'done' };

/** The service of these tests: pages of two, other states, fields and codes, another body of errors, no id of requests. */
function patch({ method, path: at, status, body, headers }: Passed): void {
  if (method === 'GET' && at.endsWith('/webhooks')) body.webhooks?.splice(2);
  if (method === 'GET' && /music\/generations\/job_(?!000000)/.test(at) && status < 300) {
    body.status = STATES[body.status];
    body.progress = { percent: 100, queue: 'music_fast' };
  }
  if (at.endsWith('/audio/speech') && status === 400) body.error = 'the text is missing';
  if (body?.error?.code === 'model_not_found') body.error.code = 'unknown_model';
  if (at.endsWith('/chat/completions') && body?.usage) body.usage.credits_spent += 1;
  if (at.includes('event=music.generation.succeeded')) for (const { data } of body.events) delete data.seed;
  if (status >= 400) delete headers['x-request-id'];
}

const proxy = await PatchingProxy.start(standIn.url, (answer) => {
  patch(answer);
  if (answer.method === 'POST' && answer.path.endsWith('/music/generations') && answer.status === 400)
    answer.status = 422;
  if (answer.method === 'DELETE' && answer.status === 404 && answer.path.includes('/obj_')) {
    Object.assign(answer, {
      status: 200,
      body: { object: 'object', id: 'obj_000000000000000000000000', deleted: false },
    });
  }
});
afterAll(() => proxy.close());
const { key } = await standIn.account({ credits: 100 });
await drift(folder, { url: proxy.url, key }, ['--budget', '20', '--shapes', file]);
const emulator = await startEmulator(ephemeral({ overlay: file }));
afterAll(() => emulator.close());
const overlaid = new World(emulator);

it('answers pages, states, fields and refusals as the stand-in does, and books what it always books', async () => {
  const account = await overlaid.account({ credits: 50 });
  for (const n of [1, 2, 3]) {
    await account.post('/webhooks', { url: `https://example.com/${n}`, events: ['music.generation.succeeded'] });
  }
  expect((await account.get('/webhooks')).body.webhooks).toHaveLength(2);

  const order = await account.post('/music/generations', { prompt: 'a waltz', seconds: 30, n: 1 });
  const [{ id, status }] = order.body.data;
  expect([order.status, status]).toEqual([202, 'queued']);
  const read = async () => (await account.get(`/music/generations/${id}`)).body;
  await overlaid.until(async () => (await read()).status === 'done');
  const song = await read();
  expect(song).toMatchObject({ status: 'done', progress: { percent: 0, queue: 'text' } });
  expect((await overlaid.control('GET', `/jobs/${id}`)).body.status).toBe('succeeded');

  const speech = await account.post('/audio/speech', { voice: 'aria' });
  expect([speech.status, speech.body]).toEqual([400, { error: expect.stringMatching(/input/) }]);
  const model = await account.post('/images/generations', { prompt: 'a barn', model: 'none' });
  expect([model.status, model.body.error.code, model.headers.has('x-request-id')]).toEqual([
    404,
    'unknown_model',
    false,
  ]);
  expect((await account.post('/music/generations', { seconds: 30 })).status).toBe(422);
  const gone = await account.delete(`/storage/objects/obj_${'1'.repeat(24)}`);
  expect([gone.status, gone.body]).toEqual([200, { object: 'object', id: `obj_${'1'.repeat(24)}`, deleted: false }]);
  expect((await overlaid.call('GET', '/v1/nothing-here')).headers.has('x-request-id')).toBe(false);

  expect(await account.ledger()).toEqual(['grant 50', 'charge -3']);
  expect((await overlaid.control('GET', '/invariants')).body).toMatchObject({ ok: true, lied: [] });
});

it('sends events, and shows samples of them, as the stand-in does', async () => {
  const account = await overlaid.account({ credits: 50 });
  const receiver = await Receiver.start();
  await account.post('/webhooks', { url: receiver.origin, events: ['music.generation.succeeded'] });
  const sample = await account.get('/webhooks/samples?event=music.generation.succeeded');
  await account.post('/music/generations', { prompt: 'a march', seconds: 30, n: 1 });
  await receiver.received(1);
  await receiver.close();
  const [{ data }] = receiver.requests.map(({ body }) => JSON.parse(body));
  expect([Object.keys(sample.body.events[0].data), Object.keys(data)]).not.toContainEqual(
    expect.arrayContaining(['seed']),
  );
  expect(data).toMatchObject({ take: 1 });
});

it('shows a real client what the service would', async () => {
  const account = await overlaid.account();
  const client = new OpenAI({ baseURL: `${overlaid.url}/v1`, apiKey: account.key, maxRetries: 0 });
  const refused = client.images.generate({ model: 'none', prompt: 'a barn' });
  await expect(refused).rejects.toMatchObject({ status: 404, code: 'unknown_model', requestID: null });
  const { usage } = await client.chat.completions.create({
    model: 'svc-rp-mini',
    messages: [{ role: 'user', content: 'Say yes.' }],
  });
  // A price is a rule of the specification.
  expect(usage).toMatchObject({ credits_spent: 1 });
});

it('says what is overlaid, and what is not', async () => {
  const { body } = await overlaid.control('GET', '/instance');
  const { overlay } = body;
  expect(overlay.says).toMatch(/^overlay: \d+ sites of shapes\.json: .*every refusal without x-request-id \(C010\)/);
  expect(overlay.sites).toContainEqual({
    ...{ at: 'listWebhooks', what: 'field', path: 'webhooks', there: 'a page of 2', here: 'all of its own' },
    choice: 'C278',
  });
  expect(overlay.sites).toContainEqual(expect.objectContaining({ at: 'getSong', what: 'states', choice: 'C118' }));
  expect(overlay.warnings).toEqual([
    expect.stringMatching(/against a rule of the specification: here the rule holds: R123 createChatCompletion price/),
  ]);
});

it('finds nothing left of what it imitates when the overlaid emulator is measured in its turn', async () => {
  const account = await overlaid.account({ credits: 100 });
  const again = path.join(folder, 'again.json');
  const { report } = await drift(folder, { url: overlaid.url, key: account.key }, [
    '--budget',
    '20',
    '--shapes',
    again,
  ]);
  const differing = report.results.filter(({ outcome, rule }) => outcome === 'differs' && rule === undefined);
  const first = JSON.parse(readFileSync(file, 'utf8'));
  const same = JSON.parse(readFileSync(again, 'utf8'));
  expect(differing.length).toBeGreaterThan(20);
  // A price that is not imitated leaves less of the budget.
  const isMeasured = (id: string) => (each: { id: string; shape?: object }) =>
    each.id === id && each.shape !== undefined;
  const shapesOf = ({ cases }: typeof first) =>
    cases
      .filter(({ id, operation }: { id: string; operation: string }) => {
        return operation !== 'createChatCompletion' && first.cases.some(isMeasured(id));
      })
      .map(({ id, shape }: { id: string; shape?: { status: number; fields: object; headers: object } }) => [
        ...[id, shape?.status, shape?.headers],
        Object.keys(shape?.fields ?? {}).toSorted(),
      ]);
  expect(shapesOf(same)).toEqual(shapesOf(first));
});

it('refuses a lie at an overlaid site by the name of the overlay, and takes one elsewhere', async () => {
  const refused = await overlaid.control('POST', '/faults', {
    match: { path: '/v1/webhooks' },
    effect: { lie: 'list.bare' },
  });
  expect([refused.status, refused.body.error]).toEqual([
    400,
    expect.objectContaining({
      param: 'effect.lie',
      message: expect.stringMatching(
        /cannot hold one site: --overlay shapes\.json has listWebhooks a page of 2 \(C278\)/,
      ),
    }),
  ]);
  expect((await overlaid.control('GET', '/faults')).body.data).toEqual([]);
  const rule = await overlaid.control('POST', '/faults', {
    match: { path: '/v1/chat' },
    effect: { lie: 'spent.zero' },
  });
  expect(rule.status).toBe(201);
  await overlaid.control('DELETE', `/faults/${rule.body.id}`);
});

it('lets no suite be measured by what an overlay changes', async () => {
  await expect(emulator.lies.arm([{ id: 'a', lie: 'spent.zero' }])).rejects.toThrow(/start without --overlay/);
  const { exitCode, stderr } = await runCommand(['mutate', '--', 'true'], { SVC_EMULATOR_OVERLAY: file });
  expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/overlay .*shapes\.json changes the contract/)]);
});

it('is an option of exec, of the environment and of programs', async () => {
  const line = /^overlay: \d+ sites of shapes\.json: /m;
  const execed = await runCommand(['exec', '--overlay', file, '--quiet', '--', 'true']);
  expect([execed.exitCode, execed.stderr]).toEqual([0, expect.stringMatching(line)]);
  const local = await startLocal({ overlay: file });
  const { overlay } = await local.control.getInstance();
  await local.close();
  expect(overlay?.file).toBe('shapes.json');
});

it.each([
  ['no shapes', '{"format": 2}', /--overlay is .*bad\.json, which cannot be used: it is no file of shapes: format/],
  ['no JSON', 'shapes', /it is no file of shapes: the file/],
  ['a case without a name', '{"format":1,"cases":[{}]}', /it is no file of shapes/],
])('refuses a file with %s', async (_what, text, message) => {
  const bad = path.join(folder, 'bad.json');
  writeFileSync(bad, text);
  const { exitCode, stderr } = await runCommand(['start', '--ephemeral', '--port', '0', '--overlay', bad]);
  expect([exitCode, stderr]).toEqual([2, expect.stringMatching(message)]);
});

it('warns of shapes that are older than 60 days', async () => {
  const old = path.join(folder, 'old.json');
  writeFileSync(
    old,
    JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), measured: '2026-01-01T00:00:00.000Z' }),
  );
  const { stderr } = await runCommand(['exec', '--overlay', old, '--quiet', '--', 'true']);
  expect(stderr).toMatch(/measured \d+ days ago; the service may have changed/);
});
