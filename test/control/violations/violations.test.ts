import sharp from 'sharp';
import { expect, it, onTestFinished } from 'vitest';
import { VIOLATION_FAMILIES, VIOLATIONS } from '../../../src/control/violations/violation-table.ts';
import { startEmulator } from '../../../src/emulator.ts';
import { Receiver } from '../../support/receiver.ts';
import { faultyAccount } from '../../support/striking.ts';
import { rawPost } from '../../support/wire.ts';
import { ephemeral, SHARED_RENDERS, type TestAccount, World, world } from '../../support/world.ts';

const emulator = await world();

const HELLO = { model: 'svc-rp-mini', messages: [{ role: 'user', content: 'Hello' }] };
const FAILING = { model: 'svc-rp-plus', messages: [{ role: 'user', content: '[[fail]]' }] };

async function own() {
  const started = await startEmulator(ephemeral(), SHARED_RENDERS);
  onTestFinished(() => started.close());
  return { violations: started.violations, at: new World(started) };
}

/** A chat whose answer breaks the contract. */
async function spent(account: TestAccount): Promise<unknown> {
  const response = await rawPost(account, '/chat/completions', HELLO);
  const { usage } = (await response.json()) as { usage: { credits_spent: unknown } };
  return usage.credits_spent;
}

it('lists 55 violations in the order of their families', async () => {
  const { body } = await emulator.control('GET', '/violations');
  const counts = VIOLATION_FAMILIES.map(
    (family) => body.data.filter((row: { family: string }) => row.family === family).length,
  );
  expect(counts).toEqual([19, 9, 20, 5, 2]);
  expect(new Set(body.data.map(({ name }: { name: string }) => name)).size).toBe(55);
  expect(Object.keys(body.data[0])).toEqual(['name', 'family', 'rule', 'harm', 'sees', 'acts', 'deep']);
});

const WRONG: [object, object, string, string, object?][] = [
  [{ violation: 'spent.zero' }, {}, 'probability', 'until its rule is removed', { probability: 0.5 }],
  [{ compatible_change: 'key_order' }, {}, 'probability', 'Leave probability out', { probability: 0.5 }],
  [{ violation: 'refund.non' }, {}, 'effect.violation', 'refund.none'],
  [{ violation: 'refund.none' }, { path: '/v1/webhooks' }, 'match.path', '/v1/chat/completions'],
  [{ violation: 'spent.zero' }, { event: 'image.generation.failed' }, 'match.event', 'no event'],
  [{ violation: 'spent.zero' }, { content_type: 'audio/' }, 'match.content_type', 'no file'],
  [{ violation: 'spent.zero' }, { contains: 'x' }, 'match.contains', 'Leave match.contains out'],
  [{ compatible_change: 'key_odrer' }, {}, 'effect.compatible_change', 'key_order'],
  [{ drop: true }, { event: 'image.generation.failed' }, 'match.event', 'only for violations'],
];

it.each(WRONG)('refuses %j with %j by %s', async (effect, match, param, hint, more = {}) => {
  const { status, body } = await emulator.control('POST', '/faults', { match, effect, ...more });
  expect(status).toBe(400);
  expect(body.error.param).toBe(param);
  expect(body.error.message).toContain(hint);
});

it('keeps what was sent and the original in the journal, and counts it', async () => {
  const { account, shown } = await faultyAccount(emulator, { violation: 'spent.zero' });
  expect((await emulator.control('GET', '/health')).body.violations).toBe(1);
  expect(await spent(account)).toBe(0);
  const { body } = await emulator.control('GET', `/requests?account_id=${account.id}`);
  expect(JSON.parse(body.data[0].answer).usage.credits_spent).toBe(0);
  expect(body.data[0]).toMatchObject({ violation: 'spent.zero', original: { status: 200 } });
  expect(JSON.parse(body.data[0].original.body).usage.credits_spent).toBe(1);
  expect(body.data[0].response).toMatchObject({ status: 200, body: body.data[0].answer });
  expect(Object.keys(body.data[0].response)).toEqual(Object.keys(body.data[0].original));
  await emulator.control('DELETE', `/faults/${(await shown()).id}`);
  expect(await spent(account)).toBe(1);
  expect((await emulator.control('GET', '/health')).body.violations).toBe(0);
});

it('applies a violation as often as its rule says, and to the nth answer that could carry it', async () => {
  const { account } = await faultyAccount(emulator, { violation: 'spent.zero' }, { match: { nth: 2 }, times: 1 });
  expect([await spent(account), await spent(account), await spent(account)]).toEqual([1, 0, 1]);
});

it('notes which violations could act, and changes nothing', async () => {
  const { violations, at } = await own();
  const account = await at.account({ credits: 50 });
  await violations.join(account.id, 'a test');
  violations.observe(true);
  await account.post('/chat/completions', FAILING);
  expect(await spent(account)).toBe(1);
  const site = 'POST /v1/chat/completions';
  const reached = violations.reached();
  const of = (violation: string) =>
    reached.filter((each) => each.violation === violation).map(({ site: place, test }) => [place, test]);
  expect(of('spent.zero')).toEqual([[site, 'a test']]);
  expect(of('refund.none')).toEqual([['ledger createChatCompletion', 'a test']]);
  expect(of('refund.one_of_two')).toEqual([]);
  expect(await account.ledger()).toEqual(['grant 50', 'charge -3', 'refund 3', 'charge -1']);
});

it('applies what is armed to the accounts of a test, through every reset and deletion of the suite', async () => {
  const { violations, at } = await own();
  violations.arm([
    { id: 'one', violation: 'spent.zero', test: 'a test' },
    { id: 'two', violation: '402.as_200', test: 'a test' },
  ]);
  await at.control('DELETE', '/faults');
  await at.control('POST', '/reset');
  const [account, other] = [await at.account({ credits: 50 }), await at.account({ credits: 50 })];
  await violations.join(account.id, 'a test');
  expect((await at.control('GET', '/faults')).body.data).toEqual([]);
  expect([await spent(account), await spent(other)]).toEqual([0, 1]);
  expect(violations.acted()).toEqual([
    { id: 'one', times: 1, sites: { 'POST /v1/chat/completions': 1 }, accounts: [account.id], refused: 0 },
    { id: 'two', times: 0, sites: {}, accounts: [], refused: 0 },
  ]);
  violations.arm([]);
  expect(await spent(account)).toBe(1);
});

it('ends what was made by hand with a reset', async () => {
  const { at } = await own();
  await at.control('POST', '/faults', { effect: { violation: 'spent.zero' } });
  await at.control('POST', '/reset');
  expect(await spent(await at.account({ credits: 50 }))).toBe(1);
});

it('leaves violations out of a snapshot, and keeps what they made', async () => {
  const { at } = await own();
  const account = await at.account({ credits: 50 });
  await at.control('POST', '/faults', { effect: { violation: 'refund.none' } });
  await account.post('/chat/completions', FAILING);
  await at.control('POST', '/snapshots', { name: 'violated' });
  await at.control('POST', '/reset');
  await at.control('POST', '/snapshots/violated/restore');
  expect((await at.control('GET', '/health')).body.violations).toBe(0);
  expect((await at.control('GET', '/faults')).body.data).toEqual([]);
  expect((await at.control('GET', '/invariants')).body).toMatchObject({
    ok: true,
    violations: [{ violation: 'refund.none' }],
    broken: [],
  });
});

it('has a read wait for a song that was answered as finished', async () => {
  const { account } = await faultyAccount(emulator, { violation: '202.as_200' });
  const ordered = await rawPost(account, '/music/generations', { prompt: 'A song about fog', seconds: 30, n: 1 });
  const { data } = (await ordered.json()) as { data: { url: string }[] };
  const file = await fetch(data[0]?.url ?? '');
  expect([ordered.status, file.status, file.headers.get('content-type')]).toEqual([200, 200, 'audio/mpeg']);
  expect((await file.arrayBuffer()).byteLength).toBeGreaterThan(10_000);
  expect(await account.ledger()).toEqual(['grant 50', 'charge -3']);
});

it('sends a picture with a quarter of its pixels that can be decoded [R156]', async () => {
  const { account } = await faultyAccount(emulator, { violation: 'file.small' });
  const { body } = await account.post('/images/generations', { prompt: 'A lamp' });
  const picture = sharp(Buffer.from(body.data[0].b64_json, 'base64'));
  expect((await picture.raw().toBuffer({ resolveWithObject: true })).info).toMatchObject({ width: 1024, height: 256 });
});

it('counts an event as sent to a receiver that breaks over it, and not where there is none', async () => {
  const { violations, at } = await own();
  const receiver = await Receiver.start({ reply: 'hang-up' });
  const account = await at.account({ credits: 50 });
  await account.post('/webhooks', { url: receiver.origin, events: ['image.generation.succeeded'] });
  violations.arm([{ id: 'old', violation: 'hook.old', account_id: account.id }]);
  await account.post('/images/generations', { prompt: 'A lamp' });
  await account.idle();
  const sites = { 'event image.generation.succeeded': 1 };
  expect(violations.acted()).toEqual([{ id: 'old', times: 1, sites, accounts: [account.id], refused: 0 }]);
  await receiver.close();
  await account.post('/images/generations', { prompt: 'Another lamp' });
  await account.idle();
  expect(receiver.requests).toHaveLength(1);
  expect(violations.acted()).toMatchObject([{ id: 'old', times: 1 }]);
});

it('records a download whose bytes are a violation as one of its account', async () => {
  const { account } = await faultyAccount(emulator, { violation: 'file.cut' }, { match: { content_type: 'image/' } });
  const order = { prompt: 'A lamp', response_format: 'url' };
  const { body } = await account.post('/images/generations', order);
  const file = await fetch(body.data[0].url);
  expect((await file.arrayBuffer()).byteLength).toBeGreaterThan(1000);
  const { body: reads } = await emulator.control('GET', `/record?kind=read&account_id=${account.id}`);
  expect(reads.data).toMatchObject([{ account_id: account.id, call: { status: 200 } }]);
});

it('reports that a receiver refused what was sent', async () => {
  const { violations, at } = await own();
  const receiver = await Receiver.start({ reply: { status: 400 } });
  const account = await at.account({ credits: 50 });
  await account.post('/webhooks', { url: receiver.origin, events: ['image.generation.succeeded'] });
  violations.arm([
    { id: 'old', violation: 'hook.old', account_id: account.id, site: 'event image.generation.succeeded' },
  ]);
  await account.post('/images/generations', { prompt: 'A lamp' });
  await account.idle();
  expect(violations.acted()).toMatchObject([{ id: 'old', times: 1, refused: 1 }]);
  await receiver.close();
});

it('answers 500 without a body, and does nothing, while it is dead', async () => {
  const { violations, at } = await own();
  const account = await at.account({ credits: 50 });
  violations.setDead(true);
  const response = await fetch(`${at.url}/v1/account`, { headers: account.headers });
  expect([response.status, await response.text()]).toEqual([500, '']);
  violations.setDead(false);
  expect(await account.ledger()).toEqual(['grant 50']);
});

it('says of every violation what it does, whom it harms and what sees it', () => {
  expect(VIOLATIONS.every(({ words, harm, sees }) => words !== '' && harm.endsWith('.') && sees !== '')).toBe(true);
});

it('charges nothing of an account that has nothing, and gives nothing back where that fails [R001 R005]', async () => {
  const { account, shown } = await faultyAccount(emulator, { violation: 'charge.none' }, {}, { credits: 0 });
  const answered = await account.post('/chat/completions', HELLO);
  expect([answered.status, answered.body.usage]).toEqual([200, { credits_spent: 0, credits_remaining: 0 }]);
  expect((await account.post('/chat/completions', FAILING)).status).toBe(502);
  const song = await account.post('/music/generations', { prompt: 'A song about fog [[fail]]', seconds: 30, n: 2 });
  expect([song.status, song.body.usage]).toEqual([202, { credits_spent: 0, credits_remaining: 0 }]);
  await account.idle();
  expect(await account.ledger()).toEqual(['charge 0', 'charge 0', 'charge 0', 'charge 0']);
  expect((await emulator.control('GET', '/invariants')).body).toMatchObject({ ok: true, broken: [] });
  await emulator.control('DELETE', `/faults/${(await shown()).id}`);
  expect((await account.post('/chat/completions', HELLO)).status).toBe(402);
});
