import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { recordIn } from '../control/trace/read-trace.ts';
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

const NOTICES = "if (usage.credits_spent !== 1) fail('another price');";

it.each([
  ['explore', 'a finding', ['--only', 'lost_request', '--jobs', '1', '--no-saved'], 'no answer', '', 1],
  ['explore', 'a failing first run', ['--only', 'lost_request', '--no-saved'], 'red', "fail('red');", 2],
  ['mutate', 'a lie that was noticed', ['--only', 'spent.zero', '--trust'], 'another price', NOTICES, 0],
  ['mutate', 'a failing first run', ['--only', 'spent.zero', '--trust'], 'red', "fail('red');", 2],
])('hides secrets in the reports of %s about %s, and where it prints', async (use, _, flags, said, then, code) => {
  const folder = folderOf({ 'shop.mjs': chat(then) });
  const files = ['found.json', 'found.xml', 'found.html'];
  const reports = files.flatMap((file) => ['--report', file]);
  const line = [use, ...flags, '--budget', '0', ...reports, '--', process.execPath, 'shop.mjs'];
  const { exitCode, stdout, stderr } = await runCommand(line, { SHOP_TOKEN: SECRET }, folder);
  expect(exitCode, stderr).toBe(code);
  const [json = '', xml = '', html = ''] = files.map((file) => readFileSync(path.join(folder, file), 'utf8'));
  const page = JSON.stringify(recordIn(html));
  expect(JSON.stringify(JSON.parse(json))).toContain(`${said} with …`);
  for (const text of [json, xml, page, stdout, stderr]) {
    expect(text).not.toMatch(/Shop-Value|Value\\?\/9|svc_sk_\w/);
  }
});
