import { expect, it } from 'vitest';
import { expectError } from '../support/wire.ts';
import { world } from '../support/world.ts';

const emulator = await world();
const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

it.each(['/', '/dashboard', '/dashboard/live/req_1', '/docs', '/docs/quickstart'])(
  'serves the page at %s, with a policy that allows its own files alone',
  async (path) => {
    const { status, headers, bytes } = await emulator.call('GET', path, undefined, BROWSER);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers.get('cache-control')).toBe('no-cache');
    const policy = headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
    expect(policy).not.toContain('unsafe');
    expect(bytes.toString()).not.toMatch(
      /<style|<script(?![^>]* src="\/dashboard\/assets\/)|https?:/,
    );
  },
);

it('answers HEAD without the page, and 304 to who has it', async () => {
  const { headers, bytes } = await emulator.call('HEAD', '/', undefined, BROWSER);
  expect([bytes.length, Number(headers.get('content-length')) > 0]).toEqual([0, true]);
  const had = { ...BROWSER, 'if-none-match': headers.get('etag') ?? '' };
  expect((await emulator.call('GET', '/', undefined, had)).status).toBe(304);
});

it('lets assets be kept for ever, and knows no other file', async () => {
  const { bytes } = await emulator.call('GET', '/', undefined, BROWSER);
  const [script = ''] = /\/dashboard\/assets\/[\w.-]+\.js/.exec(bytes.toString()) ?? [];
  const { status, headers } = await emulator.call('GET', script);
  expect([status, headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8']);
  expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  for (const name of ['none.js', '..%2Findex.html', '%2e%2e%2f%2e%2e%2fmain.js', 'a%00b']) {
    const missing = await emulator.call('GET', `/dashboard/assets/${name}`);
    expectError(missing, 404, 'not_found');
  }
});

it('answers programs that read JSON, and other methods, with an error of the service', async () => {
  const json = { accept: 'application/json' };
  expectError(await emulator.call('GET', '/', undefined, json), 404, 'not_found');
  expectError(await emulator.call('POST', '/', {}), 404, 'not_found');
  const wrong = await emulator.call('POST', '/dashboard/live', {});
  expectError(wrong, 405, 'method_not_allowed');
  expect(wrong.headers.get('allow')).toBe('GET, HEAD');
});

it('refuses a page elsewhere [I095]', async () => {
  const foreign = { ...BROWSER, origin: 'https://evil.example' };
  expectError(await emulator.call('GET', '/', undefined, foreign), 403, 'forbidden_origin');
});

it('gives a browser beyond loopback the page that asks for the token, and nothing else [I095 I188]', async () => {
  const token = 'a-token-of-the-test';
  const far = await world({ host: '0.0.0.0', controlToken: token });
  expect((await far.call('GET', '/dashboard/money', undefined, BROWSER)).status).toBe(401);
  expectError(await far.call('POST', '/_emulator/session'), 401, 'missing_api_key');
  const bearer = { authorization: `Bearer ${token}` };
  const { status, headers } = await far.call('POST', '/_emulator/session', undefined, bearer);
  const cookie = headers.get('set-cookie') ?? '';
  expect(status).toBe(204);
  expect(cookie).toMatch(/; Path=\/; HttpOnly; SameSite=Strict$/);
  const kept = { cookie: `other=1; ${cookie.split(';')[0]}` };
  expect((await far.call('GET', '/', undefined, { ...BROWSER, ...kept })).status).toBe(200);
  expect((await far.call('GET', '/_emulator/accounts', undefined, kept)).status).toBe(200);
  const forged = { cookie: 'svc_emulator_control_1=wrong' };
  const refused = await far.call('GET', '/_emulator/accounts', undefined, forged);
  expectError(refused, 401, 'missing_api_key');
});
