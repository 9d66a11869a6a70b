import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { secretValuesInEnvironment } from '../../../src/base/config/secret-values.ts';
import { Mask } from '../../../src/control/mask/mask.ts';
import { flatPicture } from '../../support/flat-picture.ts';
import { openReceiver } from '../../support/receiver.ts';
import { world } from '../../support/world.ts';
import { listIn, recordIn, requestsIn } from './read-trace.ts';
import { traceOf } from './run-of-shop.ts';

const emulator = await world();

const SECRET = 'Token-Value/9 & "more" ä';
const lines = (...texts: string[]) => texts.map((text) => ({ at: 1, from: 'out' as const, text }));

const base64 = (before: string) => Buffer.from(`${before}${SECRET}?`).toString('base64');
const hex = Buffer.from(SECRET).toString('hex');

const FORMS: [form: string, spelled: string][] = [
  ['itself', SECRET],
  ['base64', base64('')],
  ['base64 after one more byte', base64('a')],
  ['base64 after two more bytes', base64('ab')],
  ['base64 for URLs', Buffer.from(`>>${SECRET}`).toString('base64url')],
  ['hex', hex],
  ['hex in capitals', hex.toUpperCase()],
  ['a URL', encodeURIComponent(SECRET)],
  ['a URL with small hex digits', encodeURIComponent(SECRET).replace(/%../g, (byte) => byte.toLowerCase())],
  ['a form', `${new URLSearchParams({ q: SECRET })}`],
  ['JSON', JSON.stringify(SECRET)],
  ['JSON three deep', [1, 2, 3].reduce((text) => JSON.stringify(text), SECRET)],
  ['JSON in ASCII', JSON.stringify(SECRET).replace('ä', '\\u00e4')],
  ['JSON in ASCII, within JSON', JSON.stringify(JSON.stringify(SECRET).replace('ä', '\\u00e4'))],
  ['JSON with escaped slashes', JSON.stringify(SECRET).replace('ä', '\\u00e4').replace('/', '\\/')],
  ['JSON for pages', JSON.stringify(SECRET).replace('&', '\\u0026')],
];

/** A run that prints and sends the secret in each of its forms. */
const spelt = await (async () => {
  const account = await emulator.account();
  for (const [, content] of FORMS) {
    await account.post('/chat/completions', { model: 'svc-rp-mini', messages: [{ role: 'user', content }] });
  }
  const output = lines(...FORMS.flatMap(([, spelled]) => ['before', spelled, 'after']));
  return recordIn(await traceOf(emulator, { secrets: [SECRET], account_id: account.id, output }));
})();

it.each(FORMS.map(([form, spelled], at) => [form, spelled, at] as const))(
  'masks a secret that is written as %s, in the output and requests of a trace',
  (_, spelled, at) => {
    expect(spelt.output).toHaveLength(3 * FORMS.length);
    const [before, printed = '', after] = spelt.output.slice(3 * at).map(({ text }) => text);
    const [longest = ''] = (spelled.match(/[\w%/-]+/g) ?? []).sort((a, b) => b.length - a.length);
    const shown = longest.slice(-12, -4);
    for (const text of [printed, String(requestsIn(spelt)[at]?.request)]) {
      expect(text).toContain('…');
      expect(shown).not.toBe('');
      expect(text).not.toContain(shown);
    }
    expect([before, after]).toEqual(['before', 'after']);
  },
);

it('masks overlapping secrets, and each line of a secret of several lines', () => {
  const mask = new Mask(['harbour-light', 'light-and-tide', 'light-']);
  expect(mask.text('a harbour-light-and-tide b light-and')).toBe('a … b …and');
  const pem = '-----BEGIN-----\nMIIEvQIBADAN\n-----END-----';
  const own = new Mask(secretValuesInEnvironment({ SSH_PRIVATE: pem }));
  expect(own.lines(['x', ...pem.split('\n'), 'y'])).toEqual(['x', '…', '…', '…', 'y']);
  expect(own.text(JSON.stringify({ pem }))).toBe('{"pem":"…"}');
});

it('masks API keys and webhook secrets of the service in base64 and in hex, even if they are not listed as secrets', () => {
  const mask = new Mask([]);
  for (const key of ['svc_sk_7Hq2mYx9', 'whsec_7Hq2mYx9']) {
    for (const before of ['', 'a', 'ab']) {
      const encoded = Buffer.from(`${before}${key}:`).toString('base64');
      expect(mask.text(`Basic ${encoded}`)).not.toContain(encoded.slice(12, -4));
    }
    expect(mask.text(Buffer.from(key).toString('hex'))).toBe('…');
  }
});

it('masks a secret in JSON, whatever text surrounds it, and changes nothing else', () => {
  const secret = 'correct-horse-9';
  fc.assert(
    fc.property(fc.string(), fc.string(), (before, after) => {
      const mask = new Mask([secret]);
      const record = { text: `${before} ${secret} ${after}`, list: [before, { after, n: 1.5 }] };
      const masked = { ...record, text: `${before} … ${after}` };
      expect(JSON.parse(mask.json(record))).toEqual(JSON.parse(JSON.stringify(masked)));
    }),
  );
});

it('masks a short secret only as a whole word, and not if it is the whole value of a JSON field', () => {
  const mask = new Mask(['paid']);
  const record = { status: 'paid', text: 'paid=paid, unpaid, paid_by', n: 1 };
  expect(JSON.parse(mask.json(record))).toEqual({ status: 'paid', text: '…=…, unpaid, paid_by', n: 1 });
  expect(mask.lines(['paid'])).toEqual(['…']);
});

/** The parts and the words of secret names that the docs list. */
const [PARTS, WORDS] = readFileSync('docs/exec.md', 'utf8')
  .split('variables whose names contain ')
  .slice(1)
  .map((list) => [...list.slice(0, list.indexOf('|')).matchAll(/`(\w+)`/g)].map(([, name = '']) => name)) as [
  string[],
  string[],
];
const SECRET_NAMES = [
  ...PARTS.flatMap((part) => [`MY_${part}S`, `my${part.toLowerCase()}2`]),
  ...WORDS.flatMap((word) => [word, `DB_${word}`, `${word}_old`]),
  ...['DB_PASS', 'PGPASS', 'PASS_OLD', 'MYSQL_PWD', 'DB_PWD_OLD', 'CONNSTR', 'npm_config__auth'],
  ...['SLACK_WEBHOOK', 'WEBHOOK', 'DISCORD_WEBHOOKURL', 'WEBHOOK_URI', 'KUBECONFIG_DATA'],
];
const OTHER_NAMES = ['PATH', 'COMPAT', 'PWD', 'OLDPWD', 'AUTHOR', 'COOKIES', 'SALTED', 'WEBHOOK_PORT', 'CONFIG'];

it.each(SECRET_NAMES)('masks the value of the environment variable %s', (name) => {
  expect(secretValuesInEnvironment({ [name]: 'ghp-abcdef' })).toEqual(['ghp-abcdef']);
});

it.each(OTHER_NAMES)('does not mask the value of the environment variable %s', (name) => {
  expect(secretValuesInEnvironment({ [name]: 'ghp-abcdef' })).toEqual([]);
});

it.each(['access_token', 'token', 'sig', 'signature', 'TOKEN'])(
  'masks the value of %s in the query of a URL',
  (name) => {
    const mask = new Mask([]);
    const hidden = (text: string) => mask.lines([text])[0];
    expect(hidden(`GET https://a.example/x?${name}=ab%2Fcd-9&b=1#c`)).toBe(`GET https://a.example/x?${name}=…&b=1#c`);
    expect(hidden(`/cdn/a.png?b=1&${name}=abcd;c`)).toBe(`/cdn/a.png?b=1&${name}=…;c`);
    expect(hidden(`<a href="/x?b=1&amp;${name}=abcd">`)).toBe(`<a href="/x?b=1&amp;${name}=…">`);
    expect(JSON.parse(mask.json({ url: `/x?${name}=abcd` }))).toEqual({ url: `/x?${name}=…` });
    expect(hidden(`my${name}=abcd and ?not${name}=abcd`)).toBe(`my${name}=abcd and ?not${name}=abcd`);
  },
);

it('masks the credentials of a URL in a variable of any name, but no folder and no plain user name', () => {
  const env = {
    DATABASE_URL: 'postgres://shop:p%40ss-w0rd@db.example:5432/shop',
    REGISTRY: 'https://ghp_0123456789abcdef@registry.example/',
    ORIGIN: 'ssh://git@example.com/shop.git',
    ...{ PATH: '/usr/bin', COMPAT: 'yes-please', PWD: '/home/shop', OLDPWD: '/home/shop', GIT_AUTHOR_NAME: 'Ada L' },
  };
  const secrets = secretValuesInEnvironment(env);
  expect(secrets).toEqual(['shop:p%40ss-w0rd', 'p%40ss-w0rd', 'ghp_0123456789abcdef']);
});

it('masks the user name and password of a URL anywhere in a text, and nothing else of the URL', async () => {
  const account = await emulator.account();
  const url = 'postgres://shop:hunter2@db.example:5432/shop?a=b@c';
  await account.post('/chat/completions', { model: 'svc-rp-mini', messages: [{ role: 'user', content: url }] });
  const output = lines(`connects to ${url}`, 'mail ada@example.com, see https://example.com/@ada');
  const trace = recordIn(await traceOf(emulator, { account_id: account.id, output }));
  expect(trace.output.map(({ text }) => text)).toEqual([
    'connects to postgres://…@db.example:5432/shop?a=b@c',
    'mail ada@example.com, see https://example.com/@ada',
  ]);
  expect(requestsIn(trace)[0]?.request).toContain('postgres://…@db.example');
  expect(JSON.stringify(trace)).not.toContain('hunter2');
});

it('rejects a trace request whose secrets have more than 262,144 characters in all, and names the field', async () => {
  const { status, body } = await emulator.control('POST', '/trace', { secrets: Array(3).fill('x'.repeat(100_000)) });
  expect([status, body.error.param]).toEqual([400, 'secrets']);
  expect(body.error.message).toContain('secrets must have at most 262,144 characters in all.');
});

it("masks the query of a receiver's URL in a trace, and saves no local path of a reference image", async () => {
  const account = await emulator.account({ credits: 500 });
  const receiver = await openReceiver();
  const events = ['video.generation.succeeded'];
  await account.post('/webhooks', { url: `${receiver.origin}/hook?door=Open-Sesame-7`, events });
  const reference = await flatPicture('teal');
  const clip = await account.post('/videos/generations', { model: 'svc-motion-one', prompt: 'a pier', reference });
  expect(clip.status, JSON.stringify(clip.body)).toBe(202);
  await emulator.control('POST', `/jobs/${clip.body.id}/finish`, { outcome: 'succeeded' });
  await receiver.received(1);
  const trace = recordIn(await traceOf(emulator, { account_id: account.id }));
  expect(listIn(trace, 'listEndpoints')[0]?.url).toBe(`${receiver.origin}/hook?…`);
  for (const each of ['Open-Sesame-7', tmpdir()]) expect(JSON.stringify(trace)).not.toContain(each);
});
