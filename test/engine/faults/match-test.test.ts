import { expect, it } from 'vitest';
import { CHAT, expectError } from '../../support/wire.ts';
import { type TestAccount, world } from '../../support/world.ts';

const emulator = await world({ settleAfter: 0.02 });

const FILE = 'test/pay.test.ts';
const BUSY = { status: 503, code: 'busy' };

const accountOf = (name: string, more: { file?: string; retry?: boolean } = {}) =>
  emulator.account({ plan: 'studio', credits: 1000, test: { name, ...more } });

async function armed(match: object, effect: object = BUSY, more: object = {}): Promise<string> {
  const { status, body } = await emulator.control('POST', '/faults', { match, effect, ...more });
  expect(status).toBe(201);
  return body.id;
}

async function appliedOf(id: string): Promise<number> {
  const { body } = await emulator.control('GET', '/faults');
  return body.data.find((each: { id: string }) => each.id === id).applied;
}

const chat = async (account: TestAccount) => (await account.post('/chat/completions', CHAT)).status;

it.each([
  ['its name', 'pays once', 'pays once'],
  ['its file and name', 'pays twice', `${FILE} > pays twice`],
])(
  'applies a rule to all accounts of the test that match.test identifies by %s, but not to an account of another test',
  async (_, name, test) => {
    const rule = await armed({ test, path: '/v1/chat' }, BUSY, { times: 0 });
    const first = await accountOf(name, { file: FILE });
    const second = await accountOf(name, { file: FILE, retry: true });
    const other = await accountOf(`${name}, or not`, { file: FILE });
    expect([await chat(first), await chat(second)]).toEqual([503, 503]);
    expect(await chat(other)).toBe(200);
    expect(await appliedOf(rule)).toBe(2);
    for (const account of [first, second]) expect(await account.ledger()).toEqual(['grant 50', 'top_up 950']);
  },
);

it('distinguishes tests with the same name by their files in match.test', async () => {
  await armed({ test: 'a/shop.test.ts > sells' });
  const [one, other] = [
    await accountOf('sells', { file: 'b/shop.test.ts' }),
    await accountOf('sells', { file: 'a/shop.test.ts' }),
  ];
  expect([await chat(one), await chat(other)]).toEqual([200, 503]);
});

it('counts match.nth over all accounts of a test', async () => {
  await armed({ test: 'counts', path: '/v1/chat', nth: 3 });
  const one = await accountOf('counts', { file: FILE });
  const other = await accountOf('counts', { file: FILE, retry: true });
  const answers = [await chat(one), await chat(other), await chat(one), await chat(other)];
  expect(answers).toEqual([200, 200, 503, 200]);
  expect(await one.ledger()).toEqual(['grant 50', 'top_up 950', 'charge -1']);
});

it('applies a rule to the jobs and deliveries that requests of the test in match.test caused', async () => {
  const match = { test: 'renders', path: '/v1/music' };
  await armed({ ...match, take: 2 }, { fail_job: 'render_failed' });
  await armed({ ...match, take: 1 }, { webhook: 'duplicate' });
  const [account, other] = [await accountOf('renders'), await accountOf('renders too')];
  for (const each of [other, account]) {
    const url = `${emulator.url}/_emulator/inbox/${each.id}`;
    await each.post('/webhooks', { url, events: ['music.generation.succeeded', 'music.generation.failed'] });
    const { body } = await each.post('/music/generations', { style: 'slow piano', instrumental: true, seconds: 30 });
    for (const { id } of body.data) await each.finished(`/music/generations/${id}`);
    await each.idle();
  }
  const delivered = async (each: TestAccount) =>
    (await each.deliveries()).map((delivery) => `${delivery.type} ${Object(delivery).fault}`).toSorted();
  expect(await delivered(account)).toEqual([
    'music.generation.failed null',
    'music.generation.succeeded duplicate',
    'music.generation.succeeded null',
  ]);
  expect(await delivered(other)).toEqual(['music.generation.succeeded null', 'music.generation.succeeded null']);
  expect(await account.ledger()).toEqual(['grant 50', 'top_up 950', 'charge -3', 'charge -3', 'refund 3']);
  expect(await other.ledger()).toEqual(['grant 50', 'top_up 950', 'charge -3', 'charge -3']);
});

it('explains that a rule for another test did not apply', async () => {
  const rule = await armed({ test: 'explains' });
  const explained = async (account: TestAccount) => {
    const { headers } = await account.post('/chat/completions', CHAT);
    const { body } = await emulator.control('GET', `/explain/${headers.get('x-request-id')}`);
    const { rules } = body.steps.find(({ kind }: { kind: string }) => kind === 'faults');
    return rules.find(({ id }: { id: string }) => id === rule).why;
  };
  // If several running tests could have created an account, it belongs to none of them.
  const [, , account] = [await accountOf('one'), await accountOf('two'), await emulator.account()];
  expect(await explained(account)).toEqual(['match.test is "explains", the request\'s is none']);
  expect(await explained(await accountOf('tells', { file: FILE }))).toEqual([
    `match.test is "explains", the request's is "${FILE} > tells"`,
  ]);
});

it.each([
  ['an empty name', { test: '' }, BUSY],
  ['a number', { test: 3 }, BUSY],
  ['the path of an operation without an account', { test: 'pays', path: '/v1/models' }, BUSY],
])('rejects match.test with %s', async (_, match, effect) => {
  const refused = await emulator.control('POST', '/faults', { match, effect });
  expectError(refused, 400, 'invalid_request', 'match.test');
});
