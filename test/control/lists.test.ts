import { expect, it } from 'vitest';
import { makeFlow } from '../support/flow-rig.ts';
import { expectError, fileForm } from '../support/wire.ts';
import { type TestAccount, world } from '../support/world.ts';

const emulator = await world();

/** An account with three records of each kind that can be listed. */
async function filled(): Promise<TestAccount> {
  const account = await emulator.account({ credits: 200 });
  await account.post('/webhooks', { url: 'http://127.0.0.1:9/', events: ['image.generation.succeeded'] });
  for (const n of [1, 2]) {
    const endpoint = { inbox: `box-${n}`, events: ['flow.run.failed'], workspace_id: account.workspaceId };
    await emulator.control('POST', '/endpoints', endpoint);
  }
  for (const n of [1, 2, 3]) {
    await account.post('/images/generations', { prompt: `pier ${n}`, store: true });
    const element = { account_id: account.id, handle: `mira${n}`, kind: 'character', name: 'Mira' };
    await emulator.control('POST', '/elements', element);
    const made = await makeFlow(account, [{ type: 'post', params: { text: 'a caption' } }], { name: `Flow ${n}` });
    await emulator.control('POST', `/flows/${made.id}/runs`, {});
    await emulator.call('POST', '/_emulator/inbox/paged', `message ${n}`);
  }
  await account.idle();
  return account;
}

const [account, other] = [await filled(), await filled()];

const OF_ACCOUNTS = 'jobs events deliveries requests elements library flows runs endpoints objects'.split(' ');
const LISTS = ['accounts', 'inbox/paged/messages', ...OF_ACCOUNTS];
const ids = (answer: { body: { data: { id: string }[] } }) => answer.body.data.map(({ id }) => id);

it.each(LISTS)('lists %s in pages, and continues after an id [I146 I164]', async (name) => {
  const all = await emulator.control('GET', `/${name}`);
  expect(Object.keys(all.body)).toEqual(['object', 'data']);
  expect(all.body.object).toBe('list');
  const first = await emulator.control('GET', `/${name}?limit=2`);
  const second = await emulator.control('GET', `/${name}?limit=1000&after=${ids(first)[1]}`);
  expect(ids(first)).toHaveLength(2);
  expect([...ids(first), ...ids(second)]).toEqual(ids(all));
});

it.each(OF_ACCOUNTS)('filters %s by account [I164]', async (name) => {
  const mine = await emulator.control('GET', `/${name}?account_id=${account.id}`);
  const theirs = await emulator.control('GET', `/${name}?account_id=${other.id}`);
  expect(ids(mine).length).toBeGreaterThanOrEqual(3);
  expect(ids(mine).filter((id) => ids(theirs).includes(id))).toEqual([]);
  expect((await emulator.control('GET', `/${name}?account_id=acct_none`)).body.data).toEqual([]);
});

it.each(LISTS)(
  'rejects an invalid `limit` or `after` in a list of %s, and names the field [I006 I164]',
  async (name) => {
    for (const [query, param] of [
      ['limit=0', 'limit'],
      ['limit=1001', 'limit'],
      ['limit=1.5', 'limit'],
      ['limit=many', 'limit'],
      ['after=none', 'after'],
      ['after=a&after=b', 'after'],
    ]) {
      const answer = await emulator.control('GET', `/${name}?${query}`);
      expect([query, expectError(answer, 400, 'invalid_request').param]).toEqual([query, param]);
    }
  },
);

it('returns the ledger of an account in pages [I087 I164]', async () => {
  const path = `/accounts/${account.id}/usage`;
  const all = await emulator.control('GET', path);
  expect(all.body.data.map(({ amount }: { amount: number }) => amount)).toEqual([-12, -12, -12, 150, 50]);
  const first = await emulator.control('GET', `${path}?limit=3`);
  const rest = await emulator.control('GET', `${path}?after=${ids(first)[2]}`);
  expect([...ids(first), ...ids(rest)]).toEqual(ids(all));
  const foreign = await emulator.control('GET', `/accounts/${other.id}/usage?after=${ids(first)[0]}`);
  expectError(foreign, 400, 'invalid_request');
});

it('filters all recorded jobs, deliveries and ledger entries by status or type [I164 I087]', async () => {
  const fresh = await emulator.account({ credits: 1000 });
  await fresh.post('/webhooks', { url: 'http://127.0.0.1:9/', events: ['image.generation.succeeded'] });
  for (const prompt of ['a pier', 'a lamp [[fail]]', 'a mug', 'a pier [[fail]]']) {
    await fresh.post('/images/generations', { prompt });
  }
  await fresh.idle();
  const usage = `accounts/${fresh.id}/usage`;
  for (const [list, query, count] of [
    ['jobs', 'status=succeeded', 2],
    ['jobs', 'status=failed', 2],
    ['jobs', 'status=open', 0],
    ['jobs', 'status=failed&q=pier', 1],
    ['deliveries', 'status=failed', 2],
    ['deliveries', 'status=delivered', 0],
    ['deliveries', 'status=failed&q=image', 2],
    [usage, 'type=charge', 4],
    [usage, 'type=refund', 2],
    [usage, 'type=refund&limit=1', 1],
    [usage, 'type=grant', 1],
    [usage, 'type=charge&q=10', 4],
  ] as const) {
    const owner = list === usage ? '' : `&account_id=${fresh.id}`;
    const { body } = await emulator.control('GET', `/${list}?${query}${owner}`);
    expect([list, query, body.data.length]).toEqual([list, query, count]);
  }
  const [first] = ids(await emulator.control('GET', `/jobs?status=failed&account_id=${fresh.id}&limit=1`));
  const rest = await emulator.control('GET', `/jobs?status=failed&account_id=${fresh.id}&after=${first}`);
  expect(ids(rest)).toHaveLength(1);
  expect(await fresh.events()).toHaveLength(4);
});

it.each([
  ['jobs', 'status', 'jobs', /queued.*processing.*succeeded.*failed/],
  ['deliveries', 'status', 'deliveries', /due.*attempted.*delivered.*failed/],
  ['runs', 'status', 'runs', /running.*waiting.*done.*failed/],
  ['ledger entries', 'type', `accounts/${account.id}/usage`, /grant.*charge.*refund.*top_up/],
])(
  'rejects a list of %s that is filtered by an unknown %s, and names the valid values',
  async (_, param, list, names) => {
    const refused = await emulator.control('GET', `/${list}?${param}=gone`);
    expect(expectError(refused, 400, 'invalid_request', param).message).toMatch(names);
  },
);

it.each<[method: string, path: string, body?: object]>([
  ['GET', '/accounts/acct_none'],
  ['GET', '/accounts/acct_none/usage'],
  ['POST', '/accounts/acct_none/keys'],
  ['POST', '/accounts/acct_none/credits', { amount: 1 }],
  ['DELETE', '/keys/key_none'],
  ['DELETE', '/endpoints/we_none'],
  ['GET', '/deliveries/dlv_none'],
  ['POST', '/deliveries/dlv_none/redeliver'],
  ['GET', '/jobs/job_none'],
  ['GET', '/wait?for=job:job_none'],
  ['GET', '/progression?account_id=acc_none'],
  ['PUT', '/progression', { mode: 'manual', account_id: 'acc_none' }],
  ['GET', '/explain/req_none'],
  ['GET', '/requests/req_none'],
  ['PATCH', '/accounts/acct_none', { role: 'admin' }],
  ['GET', '/verdict?account_id=acct_none'],
  ['DELETE', '/elements/el_none'],
  ['POST', '/accounts', { test_id: 'test_none' }],
  ['PATCH', '/tests/test_none', { outcome: 'passed' }],
  ['POST', '/jobs/job_none/finish', { outcome: 'failed' }],
])(
  'returns 404 to the control operation %s %s if an id that it names does not exist [I012 I146]',
  async (method, path, body) => {
    expectError(await emulator.control(method, path, body), 404, 'not_found');
  },
);

/** Creates a record of an account, and returns its id. */
type Make = (account: TestAccount, n: number) => Promise<string>;

const element: Make = async ({ id }, n) =>
  (await emulator.control('POST', '/elements', { account_id: id, handle: `e${n}`, kind: 'object', name: 'e' })).body.id;
const flow: Make = async (account) =>
  (await makeFlow(account, [{ type: 'text', params: { prompt: 'x' } }], { account_id: account.id })).id;
const fault: Make = async ({ id }) =>
  (await emulator.control('POST', '/faults', { match: { account_id: id }, effect: { status: 503 } })).body.id;
const endpoint: Make = async (account) =>
  (await account.post('/webhooks', { url: 'http://127.0.0.1:9/', events: ['image.generation.failed'] })).body.id;
const object: Make = async (account) => (await account.post('/storage/objects', fileForm())).body.id;

it.each([
  ['elements', element],
  ['flows', flow],
  ['faults', fault],
  ['endpoints', endpoint],
  ['objects', object],
])('continues the list of %s after an id that has been deleted [I216]', async (list, make) => {
  const account = await emulator.account({ credits: 100 });
  const ids = [];
  for (const n of [1, 2, 3, 4]) ids.push(await make(account, n));
  const [oldest, second, third] = ids as [string, string, string, string];
  const gone =
    list === 'objects' ? account.delete(`/storage/objects/${third}`) : emulator.control('DELETE', `/${list}/${third}`);
  expect((await gone).status).toBeLessThan(300);
  const after = (id: string) => emulator.control('GET', `/${list}?account_id=${account.id}&after=${id}`);
  const rest = await after(third);
  expect(rest.body.data.map(({ id }: { id: string }) => id)).toEqual([second, oldest]);
  expect((await after(`${third}0`)).status).toBe(400);
});

it('continues the object list of the service after a deleted object of the same account only [I216]', async () => {
  const [ana, ben] = [await emulator.account(), await emulator.account()];
  const [oldest, gone] = [await object(ana, 1), await object(ana, 2)];
  await ana.delete(`/storage/objects/${gone}`);
  const { body } = await ana.get(`/storage/objects?after=${gone}`);
  expect(body.data.map(({ id }: { id: string }) => id)).toEqual([oldest]);
  expect((await ben.get(`/storage/objects?after=${gone}`)).status).toBe(400);
});

const listed = async (list: string): Promise<string[]> => ids(await emulator.control('GET', list));

it('lists scripted answers in pages, those of the latest request first, and continues after one that was deleted [I216]', async () => {
  const [ana, ben] = [await emulator.account(), await emulator.account()];
  const make = async (account: TestAccount, count = 1): Promise<string[]> => {
    const fixtures = Array(count).fill({ match: { account_id: account.id }, answer: { text: 'x' } });
    return ids(await emulator.control('POST', '/fixtures', { fixtures }));
  };
  const [one, two] = await make(ben, 2);
  const [gone] = await make(ana);
  const [newest] = await make(ben);
  const ofBen = `/fixtures?account_id=${ben.id}`;
  expect(await listed(ofBen)).toEqual([newest, one, two]);
  expect(await listed(`${ofBen}&limit=1&after=${newest}`)).toEqual([one]);
  expect((await emulator.control('DELETE', `/fixtures?account_id=${ana.id}`)).status).toBe(204);
  expect(await listed(`/fixtures?after=${newest}`)).toEqual([one, two]);
  expect(await listed(`/fixtures?after=${gone}`)).toEqual([one, two]);
  expect(await listed(`/fixtures?after=${gone}&account_id=${ana.id}`)).toEqual([]);
  for (const query of [`after=${gone}&account_id=${ben.id}`, `after=${gone}0`, 'after=fix_none']) {
    expect((await emulator.control('GET', `/fixtures?${query}`)).status).toBe(400);
  }
  await emulator.control('DELETE', `/fixtures?account_id=${ben.id}`);
});
