import fc from 'fast-check';
import { expect, it } from 'vitest';
import { secretValues } from '../../../src/base/config/secret-values.ts';
import { Mask } from '../../../src/control/mask/mask.ts';
import { MultiPatternMatcher } from '../../../src/control/mask/normalized-text.ts';
import { flatPicture } from '../../support/flat-picture.ts';
import { openReceiver } from '../../support/receiver.ts';
import { world } from '../../support/world.ts';
import { listIn, recordIn, requestsIn } from './read-trace.ts';
import { traceOf } from './run-of-shop.ts';

const emulator = await world();

const SECRET = 'Token-Value/9 & "more" ä';
const lines = (...texts: string[]) => texts.map((text) => ({ at: 1, from: 'out' as const, text }));

function entities(text: string, entity: (letter: string) => string): string {
  return [...text].map((letter) => (/[a-z]/i.test(letter) ? letter : entity(letter))).join('');
}

function wrapped(text: string, width: number): string {
  return (text.match(new RegExp(`.{1,${width}}`, 'g')) ?? []).join('\n');
}

const NAMED: Record<string, string> = { '&': '&amp;', '"': '&quot;', '/': '&sol;' };
const IN_BASE64 = Buffer.from(`${'x'.repeat(50)}${SECRET}`).toString('base64');

it.each([
  ['base64 in lines of 76', wrapped(IN_BASE64, 76)],
  ['base64 in lines of 76, within JSON', JSON.stringify({ key: wrapped(IN_BASE64, 76) })],
  ['base64 for URLs', Buffer.from(SECRET).toString('base64url')],
  ['hex', Buffer.from(SECRET).toString('hex')],
  ['hex in capitals, with colons', wrapped(Buffer.from(SECRET).toString('hex').toUpperCase(), 2).replaceAll('\n', ':')],
  ['entities by number', entities(SECRET, (letter) => `&#${letter.codePointAt(0)};`)],
  ['entities by hex', entities(SECRET, (letter) => `&#X${letter.codePointAt(0)?.toString(16)};`)],
  ['entities by name', entities(SECRET, (letter) => NAMED[letter] ?? letter)],
  ['capitals', SECRET.toUpperCase()],
  ['colours in the middle', 'Tok\u001b[31men-Va\u001b[1;38;5;9mlue/9 & "more" ä\u001b[0m'],
  ['colours, within JSON', JSON.stringify('Tok\u001b[31men-Value/9 & "more" ä')],
  ['a URL within a URL', encodeURIComponent(encodeURIComponent(SECRET))],
  ['JSON five deep', [1, 2, 3, 4, 5].reduce((text) => JSON.stringify(text), SECRET)],
  ['backslashes before its signs', 'Token-Value\\/9 \\& \\"more\\" \\u00e4'],
])('masks a secret as %s, in what was printed and in what was asked', async (_, spelled) => {
  const account = await emulator.account();
  await account.post('/chat/completions', { model: 'svc-rp-mini', messages: [{ role: 'user', content: spelled }] });
  const order = {
    secrets: [SECRET],
    account_id: account.id,
    output: lines(...`before\n${spelled}\nafter`.split('\n')),
  };
  const trace = recordIn(await traceOf(emulator, order));
  const { output } = trace;
  const texts = [output.map(({ text }) => text).join('\n'), String(requestsIn(trace)[0]?.request)];
  const [longest = ''] = (spelled.match(/[\w%&#;:/-]+/g) ?? []).sort((a, b) => b.length - a.length);
  const shown = longest.slice(-8, -1);
  for (const text of texts) {
    expect(text).toContain('…');
    expect(shown).not.toBe('');
    expect(text).not.toContain(shown);
  }
  expect([output[0]?.text, output.at(-1)?.text]).toEqual(['before', 'after']);
  expect(output).toHaveLength(spelled.split('\n').length + 2);
});

it('masks a secret full of backslashes in a line full of them', async () => {
  const secrets = ['\\\\\\\\server\\share', '\\\\\\\\', 'a\\\\\\\\\\\\\\\\b'];
  const output = lines('\\'.repeat(400), 'on \\\\\\\\server\\share, as server and share', `${'\\'.repeat(400)}"`);
  const { output: told } = recordIn(await traceOf(emulator, { secrets, output }));
  expect(told.map(({ text }) => text)).toEqual(['…', 'on …, as server and share', '…"']);
});

it('finds in one pass every text that stands somewhere, and none that does not', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 5 });
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 60 });
  fc.assert(
    fc.property(fc.array(word, { maxLength: 12 }), text, (words, searched) => {
      const units = Uint16Array.from(searched, (letter) => letter.charCodeAt(0));
      const found = new Set<string>();
      new MultiPatternMatcher(words).find({ units, count: units.length }, (from, to) => {
        found.add(`${from} ${to}`);
        return false;
      });
      const places = [...new Set(words)].flatMap((each) =>
        [...searched].flatMap((_, at) => (searched.startsWith(each, at) ? [`${at} ${at + each.length}`] : [])),
      );
      expect([...found].sort()).toEqual([...new Set(places)].sort());
    }),
  );
});

it('leaves no secret in any record, however its letters are escaped, and all else as it was', () => {
  const spelling = fc.constantFrom<(letter: string) => string>(
    (letter) => letter,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
    (letter) => encodeURIComponent(letter).replace(/^[^%]$/, (plain) => `%${plain.charCodeAt(0).toString(16)}`),
    (letter) => `&#${letter.charCodeAt(0)};`,
    (letter) => `\u001b[3m${letter}`,
  );
  const secret = 'correct-horse-9';
  fc.assert(
    fc.property(fc.array(spelling, { minLength: 15, maxLength: 15 }), fc.string(), (spellings, around) => {
      const spelled = [...secret].map((letter, at) => spellings[at]?.(letter)).join('');
      const before = around.replace(/[\\%&]/g, '').replaceAll('\u001b', '');
      const { text } = JSON.parse(new Mask([secret]).json({ text: `${before} ${spelled} end` }));
      expect(text.replaceAll('\u001b[3m', '')).toBe(`${before} … end`.replaceAll('\u001b[3m', ''));
    }),
  );
});

it('masks what is longer than what is looked at together, and what lies across two of these', () => {
  const secret = 'correct-horse-9';
  const mask = new Mask([secret, 'x'.repeat(70_000)]);
  const line = `${'-'.repeat(262_139)}${secret}${'-'.repeat(300_000)}${'x'.repeat(70_000)}.`;
  expect(mask.lines([line, secret, ''])).toEqual([`${'-'.repeat(262_139)}…${'-'.repeat(300_000)}….`, '…', '']);
});

/** A name for each part and each word that the docs list. */
const SECRET_NAMES = [
  ...[
    'STRIPE_KEY',
    'api_key',
    'GH_TOKEN',
    'TOKENS',
    'CLIENT_SECRET',
    'DB_PASSWORD',
    'PASSWD',
    'SSH_PASSPHRASE',
    'PASSCODE',
  ],
  ...['GOOGLE_CREDENTIALS', 'PRIVATE', 'STORAGE_CONNECTION_STRING', 'CONN_STR', 'CONNSTR', 'JWT', 'ADMIN_JWT', 'JWT_2'],
  ...['BEARER', 'BEARER_VALUE', 'WEBHOOK_URL', 'SLACK_WEBHOOK_URL', 'DISCORD_WEBHOOKURL'],
  ...['DB_PASS', 'PGPASS', 'PASS_OLD', 'DB_PWD', 'DB_PWD_OLD'],
  ...[
    'GH_PAT',
    'NPM_AUTH',
    'npm_config__auth',
    'OAUTH',
    'SENTRY_DSN',
    'CREDS',
    'DB_CRED',
    'SESSION_COOKIE',
    'COOKIE',
    'PASSWORD_SALT',
    'SALT',
  ],
];
const OTHER_NAMES = ['PATH', 'COMPAT', 'PWD', 'OLDPWD', 'AUTHOR', 'COOKIES', 'SALTED', 'WEBHOOK', 'CONNECTION'];

it.each(SECRET_NAMES)('takes the value of %s for a secret', (name) => {
  expect(secretValues({ [name]: 'ghp-abcdef' })).toEqual(['ghp-abcdef']);
});

it.each(OTHER_NAMES)('takes the value of %s for no secret', (name) => {
  expect(secretValues({ [name]: 'ghp-abcdef' })).toEqual([]);
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

it('takes the user of a URL in any variable for a secret, and neither folders nor plain addresses', () => {
  const env = {
    DATABASE_URL: 'postgres://shop:p%40ss-w0rd@db.example:5432/shop',
    REGISTRY: 'https://ghp_0123456789abcdef@registry.example/',
    ORIGIN: 'ssh://git@example.com/shop.git',
    ...{ PATH: '/usr/bin', COMPAT: 'yes-please', PWD: '/home/shop', OLDPWD: '/home/shop', GIT_AUTHOR_NAME: 'Ada L' },
  };
  const secrets = secretValues(env);
  expect(secrets).toEqual(['shop:p%40ss-w0rd', 'p%40ss-w0rd', 'ghp_0123456789abcdef']);
});

it('masks the user of a URL wherever one stands, and nothing else of it', async () => {
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

it('refuses more characters of secrets than it can look for, and names the field', async () => {
  const { status, body } = await emulator.control('POST', '/trace', { secrets: Array(3).fill('x'.repeat(100_000)) });
  expect([status, body.error.param]).toEqual([400, 'secrets']);
  expect(body.error.message).toContain('secrets must have at most 262,144 characters in all.');
});

it('hides the query of a receiver, and where this machine keeps the pictures that were given', async () => {
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
  expect(listIn(trace, '/endpoints')[0]?.url).toBe(`${receiver.origin}/hook?…`);
  expect(JSON.stringify(trace)).not.toContain('Open-Sesame-7');
});
