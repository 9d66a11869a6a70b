import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { Measurement } from '../../../src/check/service/measure.ts';
import { emptyFolder, SpawnedProgram } from '../../cli/spawned-program.ts';
import { freePort } from '../../support/free-port.ts';
import { world } from '../../support/world.ts';
import { drift, type Passed, readReport, TwistedService, targetOf } from './stand-in.ts';

const folder = emptyFolder();
const standIn = await world();

it('ends with 3 where nobody listens, after three requests', async () => {
  const { exitCode, report, found } = await drift(folder, {
    url: `http://127.0.0.1:${await freePort()}`,
    key: 'svc_sk_x',
  });
  expect([exitCode, report.exit, found, report.measured.requests]).toEqual([3, 3, [], 3]);
  expect(new Set(report.results.map(({ outcome, there }) => `${outcome}: ${there}`))).toEqual(
    new Set(['not_measured: no answer']),
  );
});

it.each<[string, (answer: Passed) => void, string]>([
  ['redirects', (answer) => Object.assign(answer, { status: 302, body: '' }), 'redirect 302'],
  [
    'answers with pages',
    (answer) => Object.assign(answer, { status: 200, body: '<p>', headers: { 'content-type': 'text/html' } }),
    'a page of HTML',
  ],
  ['limits the rate', (answer) => Object.assign(answer, { status: 429 }), '429'],
  ['is out of order', (answer) => Object.assign(answer, { status: 503 }), '503'],
])('ends with 3 and finds no difference in a service that %s', async (_what, patch, why) => {
  const { key } = await standIn.account();
  const proxy = await TwistedService.start(standIn.url, patch);
  const { exitCode, report, found } = await drift(folder, { url: proxy.url, key }, ['--budget', '30']);
  expect([exitCode, found, report.measured.credits]).toEqual([3, [], 0]);
  expect(report.results.map(({ there }) => there)).toContain(why);
});

it('ends with 3 where an account has no credits, and has charged nothing', async () => {
  const account = await standIn.account({ credits: 0 });
  const { exitCode, report, found } = await drift(folder, { url: standIn.url, key: account.key }, ['--budget', '30']);
  expect([exitCode, found, report.measured.balance_after]).toEqual([3, [], 0]);
  expect(report.results.filter(({ there }) => there === '402')).toHaveLength(7);
  expect(await account.ledger()).toEqual([]);
});

it('gives up a service that is slow', async () => {
  const account = await standIn.account();
  await standIn.control('POST', '/faults', {
    match: { account_id: account.id },
    times: 100,
    effect: { delay_ms: 60_000 },
  });
  const order = { budget: 0, name: 'svc-emulator-drift-slow', only: ['listWebhooks own'] };
  const { cases } = await new Measurement(targetOf({ url: standIn.url, key: account.key }, 40), order).measure();
  // The models need no account. The list is not asked for after three silent answers; else it would depend on these.
  const missed = cases.filter(({ id }) => id !== 'listModels read').map(({ not_measured: why }) => why);
  expect(missed).toEqual(Array.from({ length: 5 }, () => 'no answer'));
});

it('depends on what was made, and finds nothing in reads of what was refused', async () => {
  const { key } = await standIn.account();
  const proxy = await TwistedService.start(standIn.url, (answer) => {
    if (answer.method === 'POST' && answer.status === 201) answer.status = 500;
  });
  const { report, found } = await drift(folder, { url: proxy.url, key });
  expect(found).toEqual([]);
  expect(report.results.filter(({ there }) => there?.startsWith('depends on')).map(({ case: words }) => words)).toEqual(
    ['lists three endpoints of its own', 'deletes an endpoint', 'deletes an endpoint that is gone'],
  );
});

it('deletes what it has made, also where the answer was lost', async () => {
  const account = await standIn.account({ credits: 50 });
  const proxy = await TwistedService.start(standIn.url, (answer) => {
    if (answer.method === 'POST' && /webhooks$|objects$/.test(answer.path)) answer.status = 502;
  });
  const { stderr } = await drift(folder, { url: proxy.url, key: account.key }, ['--budget', '14']);
  expect(proxy.requests.filter((each) => each === 'POST /v1/webhooks')).toHaveLength(6);
  expect(stderr).not.toContain('are left');
  expect((await account.get('/webhooks')).body.webhooks).toEqual([]);
  expect((await account.get('/storage/objects')).body.data).toEqual([]);
});

it('looks again for what came to be after its first look, and deletes it', async () => {
  const account = await standIn.account();
  let looks = 0;
  const proxy = await TwistedService.start(standIn.url, ({ body }, { line }) => {
    if (line !== 'GET /v1/webhooks') return;
    looks += 1;
    if (looks === 1) body.webhooks.pop();
  });
  const order = { budget: 0, name: 'svc-emulator-drift-late', only: ['createWebhook first'] };
  const { notes } = await new Measurement(targetOf({ url: proxy.url, key: account.key }), order).measure();
  expect([notes, looks]).toEqual([[], 3]);
  expect((await account.get('/webhooks')).body.webhooks).toEqual([]);
});

it('deletes what it has made after Ctrl-C, says so in its report, and ends with 130', async () => {
  const account = await standIn.account();
  const file = path.join(folder, 'stopped.json');
  let made = 0;
  const proxy = await TwistedService.start(standIn.url, (answer) => {
    if (answer.method !== 'POST' || answer.status !== 201) return;
    made += 1;
    if (made === 2) program.child.kill('SIGINT');
  });
  const args = ['drift', '--against', proxy.url, '--key-env', 'DRIFT_KEY', '--pace', '0', '--report', file];
  const program = new SpawnedProgram(args, { DRIFT_KEY: account.key });
  expect(await program.ended()).toBe(130);
  expect(readReport(file).report).toMatchObject({ exit: 130, results: [], error: { exit_code: 130 } });
  expect(proxy.requests.filter((each) => /^DELETE .*we_/.test(each))).toHaveLength(made);
  expect((await account.get('/webhooks')).body.webhooks).toEqual([]);
});

it.each([
  ['is refunded before it is seen', {}, []],
  ['is refunded too late', { lie: 'refund.none' }, ['R117 getSong events refund']],
])('compares a job that fails there with one that fails here, and %s', async (_what, lie, differences) => {
  const account = await standIn.account({ credits: 60 });
  const match = { account_id: account.id, path: '/v1/music/generations' };
  await standIn.control('POST', '/faults', { match, times: 100, effect: { fail_job: 'engine_overloaded' } });
  if ('lie' in lie) await standIn.control('POST', '/faults', { match, effect: lie });
  const { report, found } = await drift(folder, { url: standIn.url, key: account.key }, ['--budget', '20']);
  expect(found).toEqual(differences);
  const spent = 60 - (await account.balance());
  expect([report.measured.credits, report.measured.balance_after]).toEqual([spent, 60 - spent]);
});

it('says so first where the balance has moved by something else than what was booked', async () => {
  const account = await standIn.account({ credits: 60 });
  const proxy = await TwistedService.start(standIn.url, (answer) => {
    if (answer.path === '/v1/account' && answer.body?.credits < 60) answer.body.credits -= 5;
  });
  const { exitCode, report } = await drift(folder, { url: proxy.url, key: account.key }, ['--budget', '11']);
  expect(report.results[0]).toMatchObject({ operation: 'getAccount', outcome: 'differs', what: 'price', rule: 'R004' });
  expect(exitCode).toBe(1);
});

it('has none of over a hundred planted secrets in any output', async () => {
  const account = await standIn.account({ credits: 60 });
  const secrets: string[] = [];
  const proxy = await TwistedService.start(standIn.url, ({ body, headers }) => {
    const secret = `hunter2n${secrets.length}hunter2`;
    secrets.push(secret);
    headers['www-authenticate'] &&= `Bearer realm="${secret}"`;
    headers['x-request-id'] = secret;
    if (typeof body !== 'object') return;
    Object.assign(body, { [secret]: 1, object: secret, note: secret, url: `https://x.test/?key=${secret}` });
    if (body.error) Object.assign(body.error, { code: secret, message: secret, [`svc_sk_${secret}`]: account.key });
    if (body.usage) body.usage.key = account.key;
  });
  const flags = ['html', 'md', 'xml'].flatMap((type) => ['--report', path.join(folder, `secret.${type}`)]);
  const shapes = ['--shapes', path.join(folder, 'secret.shapes.json'), '--budget', '14'];
  const { stdout, stderr, report } = await drift(folder, { url: proxy.url, key: account.key }, [...flags, ...shapes]);
  const files = readdirSync(folder).map((name) => readFileSync(path.join(folder, name), 'utf8'));
  const texts = [stdout, stderr, JSON.stringify(report), ...files];
  const shown = [...secrets, account.key].filter((secret) => texts.some((text) => text.includes(secret)));
  expect(shown).toEqual([]);
  expect(secrets.length).toBeGreaterThan(60);
  expect(report.results.filter(({ path: at }) => at?.startsWith('other ')).length).toBeGreaterThan(10);
});
