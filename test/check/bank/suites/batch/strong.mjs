// The batch, by an author who looks at what was kept and at what it costs.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import path from 'node:path';
import { test } from 'node:test';
import { emulatorFixtures } from 'svc-emulator/node-test';
import { call, openApp, spent } from '../open-app.mjs';

const svc = emulatorFixtures();
const { prepare } = await import(path.join(process.env.BANK_APPS, 'batch/story.mjs'));

/** Has both clips made. */
async function make(t, account = svc.account) {
  const own = { emulator: svc.emulator, account };
  const { ask } = await openApp(t, 'batch', { ...own, settings: await prepare(own) });
  const { items } = (await ask('/run', {})).body;
  return { items, states: items.map(({ state }) => state) };
}

async function shaOf(url) {
  const bytes = Buffer.from(await (await fetch(url)).arrayBuffer());
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16);
}

/** How often an account has asked the service. */
async function asked({ id }) {
  const { data } = await (await fetch(`${svc.emulator.url}/_emulator/requests?account_id=${id}`)).json();
  return data.length;
}

test('keeps both clips, each of its own picture', async (t) => {
  const { items, states } = await make(t);
  assert.deepEqual(states, ['done', 'done']); // states
  assert.notEqual(items[0].sha, items[1].sha); // files
  for (const { id } of await svc.account.jobs()) {
    const { body: job } = await call(svc, 'GET', `/videos/generations/${id}`);
    assert.equal(await shaOf(job.result_url), items[job.seed - 41].sha); // own
  }
  assert.deepEqual(await spent(svc.account), ['charge -2', 'charge -36', 'charge -2', 'charge -36']); // books
});

test('pays nothing for clips that fail', async (t) => {
  await svc.account.faults.add({ match: { path: '/v1/videos' }, effect: { fail_job: 'render_failed' }, times: 2 });
  const { states } = await make(t);
  assert.deepEqual(states, ['failed', 'failed']); // failed
  const entries = (await spent(svc.account)).sort();
  assert.deepEqual(entries, ['charge -2', 'charge -2', 'charge -36', 'charge -36', 'refund 36', 'refund 36']); // returned
});

test('asks once for each picture where the credits are gone', async (t) => {
  const poor = await svc.emulator.account({ credits: 0 });
  const { states } = await make(t, poor);
  assert.deepEqual(states, ['unpaid', 'unpaid']); // poor
  assert.equal(await asked(poor), 2); // once
});

test('books what the service answers', async () => {
  const { ENGINE: model } = await prepare(svc);
  const order = { model, prompt: 'A door opens.', seconds: 4, resolution: '480p', seed: 7 };
  const { body } = await call(svc, 'POST', '/videos/generations', order);
  await svc.account.waitFor.idle();
  assert.deepEqual(body.usage, { credits_spent: 36, credits_remaining: 964 }); // usage
  assert.equal(body.model, model); // model
});
