// The shop, by an author who looks at everything that users and bookkeeping see.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { emulatorFixtures } from 'svc-emulator/node-test';
import { call, finished, openApp, spent } from '../open-app.mjs';

const svc = emulatorFixtures();
const orderOf = (prompt) => ({ idem: 'click-1', user: 'ann', prompt });

async function buy(t, prompt, account = svc.account) {
  const { ask } = await openApp(t, 'shop', { emulator: svc.emulator, account });
  await ask('/orders', orderOf(prompt));
  const { users, orders } = await finished(ask, ({ orders: [order] }) => order.done);
  return { takes: orders[0].takes, states: orders[0].takes.map(({ state }) => state), credits: users[0].balance };
}

async function shaOf(url) {
  const bytes = Buffer.from(await (await fetch(url)).arrayBuffer());
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16);
}

test('delivers both takes, each with the file of its own job', async (t) => {
  const { takes, states, credits } = await buy(t, 'a slow song about the rain');
  assert.deepEqual(states, ['delivered', 'delivered']); // states
  assert.notEqual(takes[0].sha, takes[1].sha); // files
  assert.equal(credits, 4); // paid
  for (const { id, take } of await svc.account.jobs()) {
    const { body: job } = await call(svc, 'GET', `/music/generations/${id}`);
    const { body: again } = await call(svc, 'GET', `/music/generations/${id}`);
    assert.equal(await shaOf(job.result_url), takes[take - 1].sha); // own
    assert.equal(again.status, 'succeeded'); // again
  }
  assert.deepEqual(await spent(svc.account), ['charge -3', 'charge -3']); // books
});

test('gives everything back where both takes fail', async (t) => {
  const { states, credits } = await buy(t, 'a slow song [[fail]]');
  assert.deepEqual(states, ['failed', 'failed']); // failed
  assert.equal(credits, 10); // refunded
  const [{ id }] = await svc.account.jobs();
  const { body: job } = await call(svc, 'GET', `/music/generations/${id}`);
  assert.equal(job.status, 'failed'); // status
  assert.deepEqual(await spent(svc.account), ['charge -3', 'charge -3', 'refund 3', 'refund 3']); // returned
});

test('gives everything back where the credits of the shop are gone', async (t) => {
  const { states, credits } = await buy(t, 'a slow song', await svc.emulator.account({ credits: 0 }));
  assert.deepEqual(states, ['failed', 'failed']); // poor
  assert.equal(credits, 10); // kept
});

test('pays nothing for an order that is refused', async (t) => {
  const { states } = await buy(t, 'a slow song [[block]]');
  assert.deepEqual(states, ['failed', 'failed']); // refused
  assert.deepEqual(await spent(svc.account), []); // free
});

test('books what the service answers', async () => {
  const order = { model: 'svc-music-one', prompt: 'a waltz', seconds: 30, n: 2, seed: 70 };
  const { body } = await call(svc, 'POST', '/music/generations', order);
  await svc.account.waitFor.idle();
  assert.deepEqual(body.usage, { credits_spent: 6, credits_remaining: 994 }); // usage
  const takes = body.data.map(({ take }) => take);
  assert.deepEqual(takes, [1, 2]); // takes
  assert.equal(body.data[1].seed - body.data[0].seed, 1); // seeds
});
