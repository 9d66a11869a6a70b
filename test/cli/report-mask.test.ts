import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { runCommand } from '../support/run-command.ts';
import { folderOf } from './spawned-program.ts';

const SECRET = 'Shop-Value/9 & "more"';

/** One paid message; what it prints and how it ends is `then`'s. */
const chat = (then: string) => `
const { SVC_BASE_URL: base, SVC_API_KEY: key, SHOP_TOKEN: token } = process.env;
const fail = (what) => {
  console.error('Error: ' + what + ' with ' + token + ', ' + JSON.stringify({ token }) + ' and ' + key);
  process.exit(1);
};
const answer = await fetch(base + '/v1/chat/completions', {
  method: 'POST', headers: { authorization: 'Bearer ' + key, 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'svc-rp-mini', max_tokens: 4, messages: [{ role: 'user', content: 'Good evening.' }] }),
}).catch(() => fail('no answer'));
const { usage } = await answer.json();
${then}`;

it.each([
  ['a finding', '--only', 'lost_request', 'no answer', '', 1],
  ['a failing first run', '--only', 'lost_request', 'red', "fail('red');", 2],
  ['a violation that was missed', '--only', 'spent.zero', 'passed', '', 1],
])('hides secrets in the reports about %s, and where it prints', async (_, only, name, said, then, code) => {
  const folder = folderOf({ 'shop.mjs': chat(then) });
  const files = ['json', 'xml', 'html', 'md'].map((kind) => `found.${kind}`);
  const reports = files.flatMap((file) => ['--report', file]);
  const line = ['check', only, name, '--budget', '0', ...reports, '--', process.execPath, 'shop.mjs'];
  const { exitCode, stdout, stderr } = await runCommand(line, { SHOP_TOKEN: SECRET }, folder);
  expect(exitCode, stderr).toBe(code);
  const texts = files.map((file) => readFileSync(path.join(folder, file), 'utf8'));
  if (said !== 'passed') expect(JSON.stringify(JSON.parse(texts[0] ?? ''))).toContain(`${said} with …`);
  for (const text of [...texts, stdout, stderr]) expect(text).not.toMatch(/Shop-Value|Value\\?\/9|svc_sk_\w/);
});

it('hides a secret that the bound of an error lies across', async () => {
  const long = `fail('${'x'.repeat(280)}');`;
  const folder = folderOf({ 'shop.mjs': chat('').replace("fail('no answer')", long.slice(0, -1)) });
  const line = ['check', '--only', 'lost_request', '--budget', '0', '--report', 'found.json', '--', process.execPath];
  await runCommand([...line, 'shop.mjs'], { SHOP_TOKEN: SECRET }, folder);
  const json = readFileSync(path.join(folder, 'found.json'), 'utf8');
  expect(JSON.parse(json).findings).toHaveLength(1);
  expect(json).not.toMatch(/Shop|svc_sk/);
});
