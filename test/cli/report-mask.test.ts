import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { type CommandRun, commandHere } from '../support/command-here.ts';
import { runCommand } from '../support/run-command.ts';
import { emptyFolder } from './spawned-program.ts';

const SECRET = 'Shop-Value/9 & "more"';

/** One paid message; without a response it prints the secret in two spellings, and its key. */
async function shop(run: CommandRun): Promise<void> {
  const { SVC_API_KEY: key, SHOP_TOKEN: token } = run.env;
  await run.chat().catch(() => {
    run.err = `Error: no answer with ${token}, ${JSON.stringify({ token })} and ${key}\n`;
    run.end = 'exit 1';
  });
}

it('masks secrets in all reports and printed lines of a finding', async () => {
  const folder = emptyFolder();
  const files = ['json', 'xml', 'html', 'md'].map((kind) => `found.${kind}`);
  const reports = files.flatMap((file) => ['--report', file]);
  const line = ['check', '--only', 'lost_request', '--budget', '0', ...reports, '--', ...(await commandHere(shop))];
  const { exitCode, stdout, stderr } = await runCommand(line, { SHOP_TOKEN: SECRET }, folder);
  expect(exitCode, stderr).toBe(1);
  const texts = files.map((file) => readFileSync(path.join(folder, file), 'utf8'));
  expect(JSON.stringify(JSON.parse(texts[0] ?? ''))).toContain('no answer with …');
  for (const text of [...texts, stdout, stderr]) expect(text).not.toMatch(/Shop-Value|Value\\?\/9|svc_sk_\w/);
});
