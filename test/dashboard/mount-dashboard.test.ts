import { expect, it } from 'vitest';
import { expectError } from '../support/wire.ts';
import { world } from '../support/world.ts';

const emulator = await world();
const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

it.each(['/', '/dashboard', '/dashboard/live/req_1', '/docs', '/docs/quickstart'])(
  'serves the page at %s with a Content-Security-Policy that allows only its own scripts and styles [I096]',
  async (path) => {
    const { status, headers, bytes } = await emulator.call('GET', path, undefined, BROWSER);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers.get('cache-control')).toBe('no-cache');
    const policy = headers.get('content-security-policy');
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self' 'sha256-[\w+/]{43}=';/);
    expect(policy).not.toContain('unsafe');
    expect(bytes.toString()).not.toMatch(/<style|<script(?![^>]* src="\/dashboard\/assets\/)|https?:/);
  },
);

it('responds to HEAD without a body, and to GET with 304 if the client already has the page', async () => {
  const { headers, bytes } = await emulator.call('HEAD', '/', undefined, BROWSER);
  expect([bytes.length, Number(headers.get('content-length')) > 0]).toEqual([0, true]);
  const had = { ...BROWSER, 'if-none-match': headers.get('etag') ?? '' };
  expect((await emulator.call('GET', '/', undefined, had)).status).toBe(304);
});

it('lets clients cache assets for a year, and returns 404 for other files', async () => {
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

it('sends compressed assets to clients that accept them', async () => {
  const { bytes } = await emulator.call('GET', '/', undefined, BROWSER);
  const [script = ''] = /\/dashboard\/assets\/start-[\w.-]+\.js/.exec(bytes.toString()) ?? [];
  const forms = ['br, gzip', 'gzip;q=0.5, br;q=0', 'identity'];
  const answers = await Promise.all(
    forms.map((form) => emulator.call('GET', script, undefined, { 'accept-encoding': form })),
  );
  expect(answers.map(({ headers }) => headers.get('content-encoding'))).toEqual([...['br', 'gzip', null]]);
  const [brotli = 0, gzip = 0, plain = 0] = answers.map(({ headers }) => Number(headers.get('content-length')));
  expect(brotli).toBeLessThan(gzip);
  expect(gzip).toBeLessThan(plain / 2);
  expect(new Set(answers.map(({ bytes: unpacked }) => unpacked.toString())).size).toBe(1);
  expect(new Set(answers.map(({ headers }) => headers.get('etag'))).size).toBe(3);
  for (const { headers } of answers) expect(headers.get('vary')).toBe('Accept-Encoding');
});

/** The names and sizes of the scripts of the first page: those of index.html, what they import, and the list of requests. */
async function firstPageScripts(): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  const weigh = async (text: string, names: RegExp): Promise<void> => {
    for (const [, name = ''] of text.matchAll(names)) {
      if (sizes.has(name)) continue;
      const path = `/dashboard/assets/${name}`;
      const { headers, bytes } = await emulator.call('GET', path, undefined, { 'accept-encoding': 'br' });
      sizes.set(name, Number(headers.get('content-length')));
      await weigh(bytes.toString(), /(?:(?:from|import)\s*"\.\/|import\(`\.\/(?=live-page-))([\w.-]+\.js)/g);
    }
  };
  const { bytes } = await emulator.call('GET', '/', undefined, BROWSER);
  await weigh(bytes.toString(), /\/assets\/([\w.-]+\.js)/g);
  return sizes;
}

it('loads for its first page at most 120,000 bytes of script, compressed with Brotli', async () => {
  const scripts = await firstPageScripts();
  expect([...scripts.keys()].filter((name) => name.startsWith('live-page-'))).toHaveLength(1);
  const total = [...scripts.values()].reduce((sum, bytes) => sum + bytes, 0);
  expect(total).toBeGreaterThan(50_000);
  expect(total).toBeLessThanOrEqual(120_000);
});

it('returns a JSON error at / to a client that does not accept HTML, and for a POST', async () => {
  const json = { accept: 'application/json' };
  expectError(await emulator.call('GET', '/', undefined, json), 404, 'not_found');
  expectError(await emulator.call('POST', '/', {}), 404, 'not_found');
  const wrong = await emulator.call('POST', '/dashboard/live', {});
  expectError(wrong, 405, 'method_not_allowed');
  expect(wrong.headers.get('allow')).toBe('GET, HEAD');
});

it('rejects a request from a page of another origin [I095]', async () => {
  const foreign = { ...BROWSER, origin: 'https://evil.example' };
  expectError(await emulator.call('GET', '/', undefined, foreign), 403, 'forbidden_origin');
});

it('opens a session for the control token if --host is not loopback, and serves the dashboard to its cookie, but not without [I095 I188]', async () => {
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
