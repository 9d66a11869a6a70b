import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { SERVICE } from '../../src/api/routes.ts';
import { CONTROL } from '../../src/control/control-routes.ts';
import { HOOKS } from '../../src/hooks/hook-routes.ts';
import { expectError } from '../support/wire.ts';
import { type Answer, world } from '../support/world.ts';

const emulator = await world();
const account = await emulator.account({ plan: 'studio', credits: 1_000_000 });

/** Small renders only: most bodies are refused, and those that are not shall cost the machine little. */
const SEEDS: Record<string, object> = {
  '/v1/chat/completions': {
    model: 'svc-rp-mini',
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
    context: 'A pier.',
    mode: 'messaging',
    temperature: 0.5,
    max_tokens: 20,
  },
  '/v1/images/generations': { prompt: 'a pier', cfg_scale: 3, negative_prompt: 'fog' },
  '/v1/videos/generations': {
    model: 'svc-motion-one',
    prompt: 'a pier',
    seconds: 5,
    aspect: '1:1',
  },
  '/v1/audio/speech': { input: 'Hello', voice: 'aria' },
  '/v1/music/generations': { style: 'slow', seconds: 30, n: 1, seed: 1, instrumental: true },
  '/v1/webhooks': { url: 'http://127.0.0.1:9/', events: ['image.generation.failed'] },
  '/_emulator/accounts': { name: 'Ann', plan: 'payg', role: 'owner', credits: 10 },
  '/_emulator/accounts/:id': { name: 'Ann', role: 'owner' },
  '/_emulator/accounts/:id/credits': { amount: 5 },
  '/_emulator/accounts/:id/budget': { credits: 1_000_000_000 },
  '/_emulator/workspaces/:id': { plan: 'studio' },
  '/_emulator/clock': { frozen: false },
  '/_emulator/clock/advance': { seconds: 0.0004 },
  '/_emulator/progression': { mode: 'polls', value: 1, account_id: account.id },
  '/_emulator/jobs/:id/finish': { outcome: 'failed', code: 'render_failed' },
  '/_emulator/renders/preview': { kind: 'image', prompt: 'a pier' },
  '/_emulator/price': { operation: 'createImage', body: { prompt: 'a pier' }, bytes: 5 },
  '/_emulator/elements': { account_id: account.id, handle: 'mira', kind: 'character', name: 'M' },
  '/_emulator/elements/:id': { handle: 'kit', name: 'K', image: null },
  '/_emulator/faults': {
    match: { path: '/v1/chat', model: 'svc-rp-mini', contains: 'pier', account_id: account.id },
    times: 2,
    probability: 0.5,
    ttl_seconds: 60,
    effect: { stream: { ttft_ms: 1, interval_ms: 1, cut_after: 3, malformed_at: 2 } },
  },
  '/_emulator/holds': { match: { path: '/v1/none', account_id: account.id }, at: 'answer', times: 1 },
  '/_emulator/holds/:id/release': { message: 'msg_none', effect: { status: 503 } },
  '/_emulator/endpoints': {
    url: 'http://127.0.0.1:9/',
    events: ['image.generation.failed'],
    workspace_id: account.workspaceId,
  },
  '/_emulator/events/trigger': {
    type: 'image.generation.failed',
    workspace_id: account.workspaceId,
    data: { a: 1 },
  },
  '/_emulator/trace': {
    title: 'npm test',
    account_id: account.id,
    media: 'none',
    exit: 1,
    failure: 'It failed.',
    began: 0,
    output: [{ at: 1, from: 'out', text: 'one' }],
    secrets: ['hidden'],
  },
  '/_emulator/snapshots': { name: 'scene' },
  '/_emulator/verify': {
    url: 'http://127.0.0.1:9/',
    secret: 'whsec_x',
    events: ['image.generation.failed'],
    remote: false,
    timeout_seconds: 1,
  },
  '/_emulator/fixtures': {
    fixtures: [
      {
        name: 'a lantern',
        match: { operation: 'createChatCompletion', message: { regex: 'lantern' }, turn: 1 },
        answers: [{ pieces: ['One ', { text: 'lantern.', delay_ms: 1 }] }, { fail: 'lost' }],
        times: 2,
      },
    ],
  },
  '/_emulator/flows': {
    workspace_id: account.workspaceId,
    name: 'Flow',
    steps: [{ nodeId: 'a', type: 'text', params: { prompt: '{{inputs.x}}' } }],
  },
  '/_emulator/check-flow': {
    name: 'Flow',
    steps: [{ nodeId: 'a', type: 'text', params: { prompt: '{{inputs.x}}' } }],
  },
  '/_emulator/flows/:id': { enabled: true, account_id: 'acct_none' },
  '/_emulator/flows/:id/definition': {
    name: 'Flow',
    steps: [{ nodeId: 'a', type: 'post', params: { text: 'x {{inputs.x}}', url: 'http://a.b/' } }],
  },
  '/_emulator/flows/:id/runs': { inputs: { x: 'y' } },
  '/_emulator/runs/:id/click': { choice: 'approve', text: 'x' },
  '/hooks/flows/:token': { x: 'y', list: [1] },
};

/** Flows on accounts of their own: what their runs cost must not show on the other one. */
const flowOwner = await emulator.account({ credits: 1_000_000 });
const [changed, called] = await Promise.all(
  ['changed', 'called'].map(async (name) => {
    const steps = [{ nodeId: 'a', type: 'text', params: { prompt: '{{inputs.x}}' } }];
    const order = { workspace_id: flowOwner.workspaceId, name, steps };
    return (await emulator.control('POST', '/flows', order)).body;
  }),
);

function idFor(path: string): string {
  if (path.endsWith(':token')) return called.hook_url.split('/').at(-1);
  if (path.endsWith('/runs')) return called.id;
  if (path.includes('/flows/')) return changed.id;
  return path.includes('workspaces') ? account.workspaceId : account.id;
}

const nasty = fc.oneof(
  fc.constantFrom<unknown>(null, true, [], {}, '', -1, 0, 1.5, 1e308, -0, 2 ** 53, [[]], [null]),
  fc.constantFrom<unknown>('\ud800', '\udc00x', '\u0000', '[[fail', '💡'.repeat(50), 'x'.repeat(5000)),
  fc.constant<unknown>(JSON.parse('{"__proto__": {"a": 1}, "constructor": 1}')),
  fc.integer({ min: 1, max: 200 }).map((levels) => nested(levels)),
  fc.jsonValue(),
);

function nested(levels: number): unknown {
  return levels === 0 ? 1 : levels % 2 ? [nested(levels - 1)] : { a: nested(levels - 1) };
}

/** A good body in which one value, at any depth, is another one. */
function spoiled(value: unknown): fc.Arbitrary<unknown> {
  if (typeof value !== 'object' || value === null) return nasty;
  const fields = Object.entries(value);
  const inner = fields.map(([name, field]) =>
    spoiled(field).map((bad) => (Array.isArray(value) ? [bad] : { ...value, [name]: bad })),
  );
  return fc.oneof(nasty, fc.constant({ ...value, ['__proto__']: nested(3) }), ...inner);
}

const OPERATIONS = [...SERVICE, ...CONTROL, ...HOOKS].filter(({ body, upload }) => body && !upload);

it('has a body to spoil for every JSON operation', () => {
  expect(OPERATIONS.map(({ path }) => path).sort()).toEqual(Object.keys(SEEDS).sort());
});

it.each(OPERATIONS)(
  'answers any body of $method $path well or with the exact error shape, charging nothing on 4xx [I005 I006 I017 I136]',
  async ({ method, path }) => {
    const target = path.replace(/:(?:id|token)/, idFor(path));
    let before = await account.ledger();
    await fc.assert(
      fc.asyncProperty(spoiled(SEEDS[path]), async (body) => {
        const text = Buffer.from(JSON.stringify(body));
        const headers = { ...account.headers, 'content-type': 'application/json' };
        const answer = await emulator.call(method, target, text, headers);
        const after = await account.ledger();
        if (answer.status >= 400) {
          expectRefusal(answer);
          expect(after).toEqual(before);
        }
        before = after;
      }),
      { seed: 4711, numRuns: 30, endOnFailure: true },
    );
  },
);

function expectRefusal(answer: Answer) {
  expect([400, 404, 402]).toContain(answer.status);
  const { message } = expectError(answer, answer.status, answer.body.error.code);
  expect(message.length).toBeLessThan(1000);
  expect(message).not.toMatch(/node_modules|at Object|SQLITE/);
  expect(message).not.toContain(process.cwd());
}

afterAll(async () => {
  expect(await emulator.invariants()).toMatchObject({ ok: true });
});
