import { expect, it } from 'vitest';
import { MeasuredSuite, verdicts } from './measured-suite.ts';

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

test('answers a message', async () => {
  const { usage } = await ask(svc.emulator.url, svc.account, '/v1/chat/completions', {
    model: 'svc-rp-mini',
    messages: [{ role: 'user', content: 'Good evening.' }],
  });
  assert.equal(usage.credits_spent, 1);
});
`;

it('has an emulator that a test starts tell the lie of its run, and hears what became of it', async () => {
  const suite = new MeasuredSuite({ 'kept.test.mjs': SUITE }, [process.execPath, '--test', 'kept.test.mjs']);
  const lies = ['url.no_end', 'store.ends', 'spent.zero', 'charge.twice'];
  const { code, report, output } = await suite.measure(lies.flatMap((lie) => ['--only', lie]));
  expect(code, output).toBe(0);
  const rows = report.lies.map(({ lie, site, verdict }) => [lie, site, verdict]);
  expect(rows).toContainEqual(['url.no_end', 'file image/png', 'noticed']);
  expect(rows).toContainEqual(['store.ends', 'file image/png', 'noticed']);
  expect(rows).toContainEqual(['spent.zero', 'POST /v1/chat/completions', 'noticed']);
  // Nothing in the test with a clock of its own looks at money.
  expect(rows).toContainEqual(['charge.twice', 'ledger createImage', 'survived']);
  expect(verdicts(report)).not.toContain('unreached');
  expect(report.measured.placebos.noticed).toBe(0);
});
