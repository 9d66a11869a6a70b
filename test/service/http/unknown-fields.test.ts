import { expect, it } from 'vitest';
import { expectScenario, playScenario } from '../../support/scenario.ts';
import { CHAT, expectError } from '../../support/wire.ts';
import { world } from '../../support/world.ts';

const lenient = await world();
const strict = await world({ strict: true });
const warnings = 'svc-emulator-warnings';
const SENT = { send: 'POST /chat/completions', body: CHAT, ledger: ['charge -1'] };
const text = (more: object) => [{ role: 'user', content: [{ type: 'text', text: 'Hi', ...more }] }];

it.each<[object, string]>([
  [{ top_p: 1 }, 'top_p'],
  [{ top_p: 1, user: 'me' }, 'top_p,user'],
  [{ messages: [{ role: 'user', content: 'Hi', name: 'Ann' }] }, 'messages.0.name'],
  [{ messages: text({ cache: 1 }) }, 'messages.0.content.0.cache'],
  [{ 'a,b;c%': 1 }, 'a%2Cb%3Bc%25'],
  [{ größe: 1 }, 'gr%C3%B6%C3%9Fe'],
  [{ '💡': 1 }, '%F0%9F%92%A1'],
  [{ 'with space': 1 }, 'with%20space'],
])('ignores what %j has beyond the schema, and names %s [I002 I003 I172]', async (more, named) => {
  const order = { ...SENT, body: { ...CHAT, ...more }, shows: { [warnings]: named } };
  const { body } = await playScenario(lenient, order);
  expect(Object.keys(body)).toEqual(['id', 'object', 'model', 'choices', 'usage']);
});

it('names no field where all are known [I003]', () =>
  expectScenario(lenient, { ...SENT, shows: { [warnings]: null } }));

it.each([
  ['short', (n: number) => `unknown_${n}`, 20],
  ['long', (n: number) => `${n}_${'ü'.repeat(60)}_is_not_known`, 8],
])('names the first of 20,000 %s fields in 4 KiB and counts the others [I162 I208]', async (_kind, nameOf, least) => {
  const names = Array.from({ length: 20_000 }, (_, n) => nameOf(n));
  const more = Object.fromEntries(names.map((name) => [name, 1]));
  const { headers } = await playScenario(lenient, { ...SENT, body: { ...CHAT, ...more } });
  const header = headers.get(warnings) ?? '';
  const named = header.split(',').slice(0, -1).map(decodeURIComponent);
  expect(named.length).toBeGreaterThanOrEqual(least);
  const cut = (name: string) => (name.length > 64 ? `${name.slice(0, 64)}…` : name);
  expect(named).toEqual(names.slice(0, named.length).map(cut));
  expect(header).toContain(`,and ${20_000 - named.length} more`);
  expect(header.length).toBeLessThanOrEqual(4096);
});

it.each<[object, string]>([
  [{ top_p: 1 }, 'top_p'],
  [{ n: 2 }, 'n'],
  [{ messages: [{ role: 'user', content: 'Hi', name: 'Ann' }] }, 'messages.0.name'],
  [{ messages: text({ cache: 1 }) }, 'messages.0.content.0.cache'],
])('refuses %j in strict mode, charging nothing [I004 I175]', (more, field) =>
  expectScenario(strict, { send: SENT.send, body: { ...CHAT, ...more }, error: { field, says: '--strict' } }),
);

/** A chat with a picture. */
function chatAbout(image_url: object) {
  const content = [
    { type: 'text', text: 'Look' },
    { type: 'image_url', image_url },
  ];
  return { ...CHAT, messages: [...CHAT.messages, { role: 'user', content }] };
}

it('refuses another detail of a picture in strict mode, and charges nothing [I004]', () =>
  expectScenario(strict, {
    send: 'POST /chat/completions',
    body: chatAbout({ url: 'https://example.com/a.png', detail: 'high' }),
    error: { field: 'messages.1.content.1.image_url.detail', says: '--strict' },
  }));

it.each<[string, object]>([
  ['/chat/completions', { ...CHAT, n: 1, stream_options: { include_usage: true } }],
  ['/chat/completions', chatAbout({ url: 'https://example.com/a.png', detail: 'auto' })],
  ['/images/generations', { prompt: 'a pier', n: 1, size: '1024x1024' }],
  ['/audio/speech', { input: 'Hello', voice: 'aria', response_format: 'mp3' }],
])('lets a client ask %s strictly for what happens anyway [I162]', async (path, body) => {
  const account = await strict.account();
  expect((await account.post(path, body)).status).toBe(200);
});

it.each<[string, string, object | undefined, RegExp]>([
  ['GET', '/accounts?limit=1&colour=red', undefined, /^Unknown field colour\. Did you mean \w+\?/],
  ['DELETE', '/faults?accountId=x', undefined, /^Unknown field accountId\. Did you mean account_id\?/],
  ['DELETE', '/faults', { account_id: 'x' }, /^Unknown field account_id\. No field is accepted here; leave it out\.$/],
  ['PUT', '/progression', { mode: 'manual', accountId: 'x' }, /^Unknown field accountId\. Did you mean account_id\?/],
  [
    'POST',
    '/faults',
    { match: { accountid: 'x' }, effect: { drop: true } },
    /^Unknown field match\.accountid\. Did you mean account_id\?/,
  ],
  ['POST', '/clock/advance', { second: 1 }, /^Unknown field second\. Did you mean seconds\?/],
  ['POST', '/reset?account_id=x', undefined, /^Unknown field account_id/],
  ['POST', '/reset', { account_id: 'x' }, /^Unknown field account_id/],
  ['GET', '/clock?frozn=1', undefined, /^Unknown field frozn/],
])('refuses %s /_emulator%s with %j, strict mode or not, and names the nearest field [I233]', async (...row) => {
  const [method, path, body, told] = row;
  const account = await lenient.account();
  const match = { account_id: account.id, path: '/v1/images' };
  const rule = await lenient.control('POST', '/faults', { match, effect: { status: 500 } });
  for (const emulator of [lenient, strict]) {
    const { message } = expectError(await emulator.control(method, path, body), 400, 'invalid_request');
    expect(message).toMatch(told);
  }
  // Nothing was done: the rule is there, the account is, and jobs move as they did.
  const { body: rules } = await lenient.control('GET', `/faults?account_id=${account.id}`);
  expect(rules.data.map(({ id }: { id: string }) => id)).toEqual([rule.body.id]);
  expect((await lenient.control('GET', '/progression')).body).toEqual({ mode: 'render' });
  expect(await account.ledger()).toEqual(['grant 50']);
});

it('lets a control call without fields bring an empty body, and an inbox anything [I233]', async () => {
  expect((await lenient.control('POST', `/accounts/${(await lenient.account()).id}/keys`, {})).status).toBe(201);
  const taken = await lenient.control('POST', '/inbox/strict?colour=red', { colour: 'red' });
  expect([taken.status, taken.headers.get(warnings)]).toEqual([200, null]);
});

it.each(['temperature', 'mode', 'max_tokens', 'context', 'stream'])(
  'takes null for %s as leaving it out [I098]',
  async (field) => {
    const plain = await playScenario(lenient, SENT);
    const order = { ...SENT, body: { ...CHAT, [field]: null }, shows: { [warnings]: null } };
    expect((await playScenario(lenient, order)).body.choices).toEqual(plain.body.choices);
  },
);

it('warns of an Idempotency-Key, which makes no second try free [I003]', async () => {
  const headers = { 'idempotency-key': 'once' };
  const shows = { [warnings]: 'idempotency-key;unsupported' };
  const { account } = await playScenario(lenient, { ...SENT, headers, shows });
  await expectScenario(lenient, { ...SENT, as: account, headers, shows });
  await expectScenario(lenient, { send: 'GET /models', headers, shows: { [warnings]: null } });
});
