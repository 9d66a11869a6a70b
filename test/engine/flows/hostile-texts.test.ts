import { expect, it } from 'vitest';
import { CHAT, expectError } from '../../support/wire.ts';
import { world } from '../../support/world.ts';

const here = await world();
const words = (prompt: string) => ({ nodeId: 'a', type: 'text', params: { prompt } });

async function take(steps: object[]) {
  const account = await here.account();
  const order = { workspace_id: account.workspaceId, account_id: account.id, name: 'F', steps };
  return { account, answer: await here.control('POST', '/flows', order) };
}

it.each([
  ['__proto__', '{{__proto__}}'],
  ['constructor', '{{constructor.name}}'],
  ['500,000 braces', '{{'.repeat(500_000)],
  ['braces in braces', `${'{{'.repeat(5000)}a${'}}'.repeat(5000)}`],
  ['1,001 templates', '{{inputs.t}}'.repeat(1001)],
  ['80,000 templates', '{{inputs.t}}'.repeat(80_000)],
])('refuses a flow whose text holds %s', async (_what, prompt) => {
  const { answer } = await take([words(prompt)]);
  expect(expectError(answer, 400, 'invalid_request').message.length).toBeLessThan(300);
});

it.each([
  [
    'reads the prototype of its inputs',
    '{{inputs.__proto__.polluted}}{{inputs.constructor.name}}',
    '{"__proto__": {"polluted": 1}}',
  ],
  ['fills in 100 MB', '{{inputs.t}}'.repeat(100), JSON.stringify({ t: 'y'.repeat(1_000_000) })],
])('fails a run whose step %s, and charges nothing', async (_what, prompt, inputs) => {
  const { account, answer } = await take([words(prompt)]);
  const { body: run } = await here.call('POST', `/_emulator/flows/${answer.body.id}/runs`, `{"inputs":${inputs}}`, {
    'content-type': 'application/json',
  });
  expect((await here.wait(`run:${run.id}`, { timeout: 30 })).body.status).toBe('failed');
  expect(await account.ledger()).toEqual(['grant 50']);
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
});

it.each([
  ['nested repetitions', '((((a{30}){30}){30}){30})'],
  ['a repetition of a million', 'a{1000000}'],
  ['5,000 groups', `${'('.repeat(5000)}a${')'.repeat(5000)}`],
  ['a million characters', 'a'.repeat(1_000_000)],
  ['20,000 alternatives', `${'ab|'.repeat(20_000)}b`],
  ['a look ahead', '(?=a)'],
  ['a reference to a group', '(a)\\1'],
  ['no end of a class', '['],
])('refuses a fixture whose expression has %s', async (_what, regex) => {
  const fixtures = [{ match: { message: { regex } }, answer: { text: 'x' } }];
  const answer = await here.control('POST', '/fixtures', { fixtures });
  expect(expectError(answer, 400, 'invalid_request').message.length).toBeLessThan(1000);
});

it.each(['^(a+)+$', '^(a|aa)+$', '^(.*a){10}$'])('takes the expression %s, in a time that is linear', async (regex) => {
  const account = await here.account();
  const fixtures = [{ match: { account_id: account.id, message: { regex } }, answer: { text: 'x' } }];
  await here.control('POST', '/fixtures', { fixtures });
  const messages = [{ role: 'user', content: `${'a'.repeat(100_000)}!` }];
  expect((await account.post('/chat/completions', { ...CHAT, messages })).status).toBe(200);
  expect(await account.ledger()).toEqual(['grant 50', 'charge -1']);
});
