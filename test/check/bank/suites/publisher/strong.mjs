// The publisher, by an author who looks at what is published and at what it costs.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { emulatorFixtures } from 'svc-emulator/node-test';
import { finished, openApp, spent } from '../open-app.mjs';

const svc = emulatorFixtures();
const { prepare } = await import(path.join(process.env.BANK_APPS, 'publisher/story.mjs'));

/** Has a post drafted, and its editor choose. */
async function write(t, id, choice) {
  const { ask } = await openApp(t, 'publisher', { ...own(), settings: await prepare(own()) });
  await ask('/posts', { id, topic: `the ${id}` });
  const isDrafted = ({ posts: [{ state }] }) => ['draft', 'published', 'refused'].includes(state);
  const draft = (await finished(ask, isDrafted)).posts[0].state;
  await ask('/click', { id, choice });
  const end = await finished(ask, ({ posts: [{ state }] }) => ['published', 'dropped'].includes(state));
  return { draft, state: end.posts[0].state, published: end.published };
}

const own = () => ({ emulator: svc.emulator, account: svc.account });

test('publishes what was approved', async (t) => {
  const { draft, published } = await write(t, 'fog', 'approve');
  assert.equal(draft, 'draft'); // waits
  const ids = published.map(({ id }) => id);
  assert.deepEqual(ids, ['fog']); // once
  assert.match(published[0].text, /\w/); // text
  await svc.account.waitFor.idle();
  assert.deepEqual(await spent(svc.account), ['charge -3']); // ledger
});

test('drops what was rejected', async (t) => {
  const { draft, state, published } = await write(t, 'rain', 'reject');
  assert.equal(draft, 'draft'); // asks
  assert.equal(state, 'dropped'); // dropped
  assert.deepEqual(published, []); // nothing
});
