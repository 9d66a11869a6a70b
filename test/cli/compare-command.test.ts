import { randomBytes } from 'node:crypto';
import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { sharedBrowser } from '../support/browser.ts';
import { runCommand } from '../support/run-command.ts';
import { CHAT } from '../support/wire.ts';
import { world } from '../support/world.ts';
import { emptyFolder, runToEnd } from './spawned-program.ts';

const folder = emptyFolder();

function harOf(name: string, ...entries: object[]): string {
  const file = path.join(folder, name);
  writeFileSync(file, JSON.stringify({ log: { entries } }));
  return file;
}

/** A HAR that Chromium records of calls from a page. */
async function recordedHar(): Promise<string> {
  const emulator = await world();
  const account = await emulator.account({ credits: 100 });
  const file = path.join(folder, 'browser.har');
  const browser = await sharedBrowser();
  const context = await browser.newContext({ recordHar: { path: file, content: 'embed' } });
  const page = await context.newPage();
  await page.goto(`${emulator.url}/llms.txt`);
  const calls = [
    ['/v1/chat/completions', CHAT],
    ['/v1/chat/completions', { ...CHAT, stream: true }],
    ['/v1/images/generations', { prompt: 'a pier' }],
    ['/v1/audio/speech', { input: 'Ahoy.', voice: 'aria' }],
    ['/v1/music/generations', { prompt: 'a waltz' }],
    ['/v1/music/generations', {}],
  ];
  await page.evaluate(`(async () => {
    const headers = { 'content-type': 'application/json', authorization: 'Bearer ${account.key}' };
    for (const [path, body] of ${JSON.stringify(calls)}) {
      await (await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })).text();
    }
    for (const path of ['/v1/account', '/v1/models', '/v1/storage/objects']) await (await fetch(path, { headers })).text();
  })()`);
  await context.close();
  expect((await account.ledger()).slice(2)).toEqual([
    'charge -1',
    'charge -1',
    'charge -10',
    'charge -3',
    'charge -12',
    'charge -12',
  ]);
  return file;
}

it('finds no difference in a HAR recorded from the emulator, and missing fields in a changed copy', async () => {
  const file = await recordedHar();
  const same = await runCommand(['compare', file]);
  expect(same).toMatchObject({ exitCode: 0, stderr: '' });
  expect(same.stdout).toContain('POST /v1/chat/completions: 2 of 2 fit');
  expect(same.stdout).toContain('POST /v1/music/generations: 2 of 2 fit');
  expect(same.stdout).not.toContain('svc_sk_');

  const har = JSON.parse(readFileSync(file, 'utf8'));
  const account = har.log.entries.find((each: { request: { url: string } }) => each.request.url.endsWith('/account'));
  account.response.content = { mimeType: 'application/json', text: '{"object": "account"}' };
  const changed = harOf('changed.har', ...har.log.entries);
  const report = path.join(folder, 'report.json');
  const { exitCode, stdout } = await runCommand(['compare', changed, '--report', report]);
  expect([exitCode, stdout.includes('missing')]).toEqual([1, true]);
  const { operations, compared } = JSON.parse(readFileSync(report, 'utf8'));
  const [found] = operations.filter(({ operation }: { operation: string }) => operation === 'getAccount');
  expect([compared, found.fit]).toEqual([9, 0]);
  expect(found.differences[0]).toMatchObject({ kind: 'missing', entries: 1 });
});

it.each([
  [
    'contains no bodies',
    'https://api.example.test/v1/account',
    'account: 0 of 0 fit, 1 not recorded',
    'does not contain the bodies',
  ],
  ['contains no request to the service', 'https://example.com/about', '', 'No entry of the HAR'],
])('exits with 3 if a file, here in UTF-16, %s', async (_, url, printed, told) => {
  const file = path.join(folder, 'incomplete.har');
  const har = JSON.stringify({ log: { entries: [{ request: { method: 'GET', url }, response: { status: 200 } }] } });
  writeFileSync(file, `\ufeff${har}`, 'utf16le');
  const { exitCode, stdout, stderr } = await runCommand(['compare', file]);
  expect(stdout).toContain(printed);
  expect([exitCode, stderr]).toEqual([3, expect.stringContaining(told)]);
});

it('compares 15 compressed bodies of 14 MB each with a heap of 200 MB', async () => {
  const emulator = await world();
  const account = await emulator.account({ credits: 100 });
  const { body } = await account.post('/chat/completions', CHAT);
  const reply = {
    ...body.choices[0],
    message: { role: 'assistant', content: randomBytes(650_000).toString('base64') },
  };
  const text = JSON.stringify({ ...body, choices: [reply] }) + ' '.repeat(14_000_000);
  const content = { mimeType: 'application/json', text: gzipSync(text).toString('base64'), encoding: 'base64' };
  const request = {
    method: 'POST',
    url: 'https://api.example.test/v1/chat/completions',
    postData: { mimeType: 'application/json', text: JSON.stringify(CHAT) },
  };
  const entries = Array.from({ length: 15 }, () => ({ request, response: { status: 200, content } }));
  const file = harOf('compressed.har', ...entries);
  expect(statSync(file).size).toBeGreaterThan(10_000_000);
  const { exitCode, stdout } = await runToEnd(['compare', file], { NODE_OPTIONS: '--max-old-space-size=200' });
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining('POST /v1/chat/completions: 15 of 15 fit')]);
});

it('exits with 2 for a file that is larger than 50 MiB', async () => {
  const file = harOf('large.har');
  appendFileSync(file, ' '.repeat(51 * 1_048_576));
  const { exitCode, stdout, stderr } = await runCommand(['compare', file]);
  expect([exitCode, stdout, stderr]).toEqual([2, '', expect.stringMatching(/cannot be compared: .*50 MiB/)]);
});
