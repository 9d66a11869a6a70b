import { expect, it } from 'vitest';
import { MeasuredSuite } from './reported-suite.ts';

/** Two tests whose receivers take the event of a picture: one verifies what it gets, one believes it. */
const SUITE = `import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { test } from 'node:test';
import { verifySignature } from 'svc-emulator';
import { emulatorFixtures } from 'svc-emulator/node-test';
const svc = emulatorFixtures();

async function call(method, path, body) {
  const headers = { authorization: 'Bearer ' + svc.account.apiKey, 'content-type': 'application/json' };
  const answer = await fetch(svc.emulator.url + path, { method, headers, body: JSON.stringify(body) });
  return answer.json();
}

/** An app that orders a picture and waits for its event. */
async function ordered(accepts) {
  let secret = '';
  let received;
  const event = new Promise((resolve) => { received = resolve; });
  const server = createServer(async (request, response) => {
    const payload = (await request.toArray()).join('');
    const isAccepted = accepts({ payload, header: request.headers['svc-signature'], secret });
    response.writeHead(isAccepted ? 204 : 400).end();
    if (isAccepted) received(JSON.parse(payload));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const url = 'http://127.0.0.1:' + server.address().port + '/hook';
    ({ secret } = await call('POST', '/v1/webhooks', { url, events: ['image.generation.succeeded'] }));
    await call('POST', '/v1/images/generations', { prompt: 'A lamp' });
    return await event;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

function isGenuine(signed) {
  try {
    verifySignature(signed);
    return true;
  } catch {
    return false;
  }
}
`;
const VERIFIES = `${SUITE}
test('verifies the event of a picture', async () => {
  const event = await ordered(isGenuine);
  assert.equal(event.type, 'image.generation.succeeded');
});`;
const BELIEVES = `${SUITE}
test('believes the event of a picture', async () => {
  const event = await ordered(() => true);
  assert.equal(event.type, 'image.generation.succeeded');
});`;

const HOOKS = ['hook.unsigned', 'hook.other_secret', 'hook.altered', 'hook.old'];
const ONLY = ['--only', 'hook.*'];

it.each([
  ['verifies', VERIFIES],
  ['believes', BELIEVES],
])('says of a receiver that %s what it makes of forged events', async (kind, text) => {
  const suite = new MeasuredSuite({ 'hook.test.mjs': text }, [process.execPath, '--test', 'hook.test.mjs']);
  const { code, report, output } = await suite.measure(ONLY);
  expect(code, output).toBe(0);
  const rows = report.lies.map(({ lie, verdict, by }) => ({ lie, verdict, by }));
  const expected = kind === 'verifies' ? { verdict: 'noticed', by: 'refused' } : { verdict: 'survived', by: undefined };
  expect(rows).toEqual(HOOKS.map((lie) => ({ lie, ...expected })));
  // A refused event never comes again: such a test would wait until its runner ends it.
  expect(report.measured.seconds).toBeLessThan(90);
  expect(report.measured.placebos.noticed).toBe(0);
  if (kind === 'verifies') return;
  for (const { lie, assertion } of report.lies) {
    expect([lie, assertion]).toEqual([lie, 'assert.deepEqual((await account.verdict()).findings, []);']);
  }
});
