import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { mutateReport } from '../../../src/check/tests/mutate-report.ts';
import { emptyFolder } from '../../cli/spawned-program.ts';
import { runCommand } from '../../support/run-command.ts';

/** What suites without fixtures share: a client, and one paid message. */
const CLIENT = `
import assert from 'node:assert/strict';
export { assert };
const { SVC_BASE_URL: base, SVC_API_KEY: key } = process.env;
export async function call(method, path, body) {
  const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' };
  const answer = await fetch(base + path, { method, headers, body: body && JSON.stringify(body) });
  const text = await answer.text();
  return { status: answer.status, body: text.startsWith('{') ? JSON.parse(text) : text };
}
export const chat = () =>
  call('POST', '/v1/chat/completions', { model: 'svc-rp-mini', messages: [{ role: 'user', content: 'Good evening.' }] });
export const balance = async () => (await call('GET', '/v1/account')).body.credits;
`;

/** Suites by the habits of their authors. Each sends one paid message. */
export const SUITES = {
  /** Reads every number of the answer, and the balance. */
  strong: `
const before = await balance();
const { status, body } = await chat();
assert.equal(status, 200);
assert.deepEqual(body.usage, { credits_spent: 1, credits_remaining: before - 1 });
assert.equal(await balance(), before - 1);`,
  /** Reads the status alone. */
  statusOnly: `
assert.equal((await chat()).status, 200);`,
  /** Reads what is left, and not what was spent. */
  ledgerOnly: `
const before = await balance();
await chat();
assert.equal(await balance(), before - 1);`,
  /** Sends its message, and looks at nothing. */
  blind: `
await chat();`,
  /** Has an answer of its own. */
  mocked: `
const body = { usage: { credits_spent: 1 } };
assert.equal(body.usage.credits_spent, 1);`,
  red: `
assert.equal((await chat()).status, 201, 'the order has another status');`,
} as const;

/** Runs \`svc-emulator mutate\` over one of these suites, or over a text of its own, in a folder of its own. */
export async function mutated(suite: keyof typeof SUITES | { text: string }, args: readonly string[]) {
  const folder = emptyFolder();
  const text = typeof suite === 'string' ? SUITES[suite] : suite.text;
  writeFileSync(path.join(folder, 'client.mjs'), CLIENT);
  writeFileSync(
    path.join(folder, 'suite.mjs'),
    `import { assert, balance, call, chat } from './client.mjs';\n${text}\n`,
  );
  const ended = await runCommand(['mutate', '--report', 'report.json', ...args, '--', 'node', 'suite.mjs'], {}, folder);
  const report = () => mutateReport.parse(JSON.parse(readFileSync(path.join(folder, 'report.json'), 'utf8')));
  return { ...ended, folder, report };
}

/** The verdict of each lie, by its name. */
export function verdicts({ lies }: { lies: readonly { lie: string; verdict: string }[] }): Record<string, string> {
  return Object.fromEntries(lies.map(({ lie, verdict }) => [lie, verdict]));
}
