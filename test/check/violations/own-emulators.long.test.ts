import { expect, it } from 'vitest';
import { CheckedSuite, resultsOf } from '../checked-suite.ts';

/** A test with an emulator of its own, whose clock it moves: eight days later a URL has expired, and a kept file has not. */
const SUITE = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startEmulator } from 'svc-emulator';
import { emulatorFixtures } from 'svc-emulator/node-test';
const svc = emulatorFixtures();
const ask = (url, account, path, body) => fetch(url + path, {
  method: 'POST',
  headers: { authorization: 'Bearer ' + account.apiKey, 'content-type': 'application/json' },
  body: JSON.stringify(body),
}).then((answer) => answer.json());

test('keeps what it asked to be kept', async (context) => {
  const emulator = await startEmulator();
  context.after(() => emulator.close());
  const account = await emulator.account({ credits: 100 });
  const order = { prompt: 'A lamp', response_format: 'url' };
  const [passing, kept] = await Promise.all([order, { ...order, store: true }].map((each) =>
    ask(emulator.url, account, '/v1/images/generations', each).then(({ data }) => data[0].url)));
  assert.equal((await fetch(passing)).status, 200);
  await emulator.clock.advance({ days: 8 });
  assert.equal((await fetch(passing)).status, 403);
  assert.equal((await fetch(kept)).status, 200);
});

test('returns a message', async () => {
  const { usage } = await ask(svc.emulator.url, svc.account, '/v1/chat/completions', {
    model: 'svc-rp-mini',
    messages: [{ role: 'user', content: 'Good evening.' }],
  });
  assert.equal(usage.credits_spent, 1);
});
`;

it('has an emulator that a test starts break the rule of its run, and hears what became of it', async () => {
  const suite = new CheckedSuite({ 'own.test.mjs': SUITE }, [process.execPath, '--test', 'own.test.mjs']);
  const { report, output } = await suite.check('--only', 'store.ends,url.no_end,spent.zero');
  expect(resultsOf(report), output).toMatchObject({ 'store.ends': 'caught', 'url.no_end': 'caught' });
});
