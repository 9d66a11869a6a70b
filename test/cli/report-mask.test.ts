import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { runCommand } from '../support/run-command.ts';
import { folderOf } from './spawned-program.ts';

const SECRET = 'Shop-Value/9 & "more"';

/** One paid message; without an answer it prints the secret in two spellings, and its key. */
const SHOP = `
const { SVC_BASE_URL: base, SVC_API_KEY: key, SHOP_TOKEN: token } = process.env;
await fetch(base + '/v1/chat/completions', {
  method: 'POST', headers: { authorization: 'Bearer ' + key, 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'svc-rp-mini', max_tokens: 4, messages: [{ role: 'user', content: 'Good evening.' }] }),
}).catch(() => {
  console.error('Error: no answer with ' + token + ', ' + JSON.stringify({ token }) + ' and ' + key);
  process.exit(1);
});`;

it('hides secrets in every spelling in the reports about a finding, and where it prints', async () => {
  const folder = folderOf({ 'shop.mjs': SHOP });
  const files = ['json', 'xml', 'html', 'md'].map((kind) => `found.${kind}`);
  const reports = files.flatMap((file) => ['--report', file]);
  const line = ['check', '--only', 'lost_request', '--budget', '0', ...reports, '--', process.execPath, 'shop.mjs'];
  const { exitCode, stdout, stderr } = await runCommand(line, { SHOP_TOKEN: SECRET }, folder);
  expect(exitCode, stderr).toBe(1);
  const texts = files.map((file) => readFileSync(path.join(folder, file), 'utf8'));
  expect(JSON.stringify(JSON.parse(texts[0] ?? ''))).toContain('no answer with …');
  for (const text of [...texts, stdout, stderr]) expect(text).not.toMatch(/Shop-Value|Value\\?\/9|svc_sk_\w/);
});
