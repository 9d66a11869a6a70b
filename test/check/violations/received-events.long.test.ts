import { expect, it } from 'vitest';
import { CheckedSuite, resultsOf } from '../checked-suite.ts';

/** Two tests whose receivers take the event of a picture: one verifies what it gets, one believes it. */
const SUITE = `import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { test } from 'node:test';
import { verifySignature } from 'svc-emulator';
import { emulatorFixtures } from 'svc-emulator/node-test';
const svc = emulatorFixtures();

async function call(method, path, body, form) {
  const type = form ? {} : { 'content-type': 'application/json' };
  const headers = { authorization: 'Bearer ' + svc.account.apiKey, ...type };
  const answer = await fetch(svc.emulator.url + path, { method, headers, body: form ?? JSON.stringify(body) });
  return answer.json();
}

function upload() {
  const form = new FormData();
  form.set('file', new Blob(['note'], { type: 'text/plain' }), 'note.txt');
  return form;
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

it.each([
  ['verifies', VERIFIES],
  ['believes', BELIEVES],
])('says of a receiver that %s what it makes of forged events', async (kind, text) => {
  const suite = new CheckedSuite({ 'hook.test.mjs': text }, [process.execPath, '--test', 'hook.test.mjs']);
  const { report, output } = await suite.check('--only', 'hook.*');
  const result = kind === 'verifies' ? 'caught' : 'missed';
  expect(resultsOf(report), output).toEqual(Object.fromEntries(HOOKS.map((name) => [name, result])));
  const checks = new Set(report.findings.map(({ check }) => check));
  expect([...checks]).toEqual(kind === 'verifies' ? [] : ['rejects-forged-events']);
  // A rejected event never comes again: such a test would wait until its runner ends it.
  expect(report.measured.seconds).toBeLessThan(90);
});

const STRONG = `${VERIFIES}
const read = async (url) => (await fetch(url)).status;
const picture = async () => (await call('POST', '/v1/images/generations', { prompt: 'A lamp', response_format: 'url' })).data[0].url;
test('lists what is its own', async () => {
  const { id } = await call('POST', '/v1/storage/objects', undefined, upload());
  assert.deepEqual((await call('GET', '/v1/storage/objects')).data.map((each) => each.id), [id]);
});
test('keeps a revoked key out', async () => {
  const { id, api_key: key } = await call('POST', '/_emulator/accounts/' + svc.account.id + '/keys');
  await fetch(svc.emulator.url + '/_emulator/keys/' + id, { method: 'DELETE' });
  const headers = { authorization: 'Bearer ' + key };
  assert.equal((await fetch(svc.emulator.url + '/v1/account', { headers })).status, 401);
});
test('serves no altered URL', async () => {
  const url = await picture();
  assert.equal(await read(url), 200);
  assert.equal(await read(url.replace(/signature=./, 'signature=x')), 403);
});
test('serves no expired URL', async () => {
  const url = await picture();
  await svc.account.faults.add({ match: { path: '/cdn' }, effect: { cdn: { expired: true } } });
  assert.equal(await read(url), 403);
});
test('lets no member make an endpoint', async () => {
  const { apiKey } = await svc.emulator.account({ role: 'member' });
  const headers = { authorization: 'Bearer ' + apiKey, 'content-type': 'application/json' };
  const body = JSON.stringify({ url: 'http://127.0.0.1:9/hook', events: ['image.generation.succeeded'] });
  assert.equal((await fetch(svc.emulator.url + '/v1/webhooks', { method: 'POST', headers, body })).status, 403);
});`;

it('says of a strong suite that it catches every violation of security', async () => {
  const suite = new CheckedSuite({ 'hook.test.mjs': STRONG }, [process.execPath, '--test', 'hook.test.mjs']);
  const { exitCode, report, output } = await suite.check('--only', 'security');
  const names = [...HOOKS, 'key.any', 'list.foreign', 'url.any_signature', 'url.no_end', 'role.none'];
  expect(resultsOf(report), output).toEqual(Object.fromEntries(names.map((name) => [name, 'caught'])));
  expect([exitCode, report.findings]).toEqual([0, []]);
});
