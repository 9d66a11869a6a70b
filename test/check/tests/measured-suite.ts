import { readFileSync, writeFileSync } from 'node:fs';
import { mutateReport } from '../../../src/check/tests/mutate-report.ts';
import { runCommand } from '../../support/run-command.ts';
import { SuiteFolder } from '../../support/suite-folder.ts';

/** A suite in a folder of its own, measured by the command as a user runs it. */
export class MeasuredSuite {
  readonly #folder: SuiteFolder;
  readonly #command: readonly string[];

  constructor(files: Record<string, string>, command: readonly string[]) {
    this.#folder = new SuiteFolder(files);
    this.#command = command;
  }

  /** Runs `svc-emulator mutate` over it; `report` reads its JSON report. */
  async run(args: readonly string[], name = 'report.json') {
    const ended = await this.#mutate(['--report', name, ...args, '--', ...this.#command]);
    return { ...ended, folder: this.#folder.file('.'), report: () => this.report(name) };
  }

  /** The same with one baseline run, and its report, which there has to be. */
  async measure(args: readonly string[], name?: string) {
    const { report, ...ended } = await this.run(['--trust', ...args], name);
    return { ...ended, report: report() };
  }

  /** Runs `svc-emulator mutate merge` over JSON reports in its folder. */
  async merge(args: readonly string[]) {
    const ended = await this.#mutate(['merge', '--report', 'merged.json', ...args]);
    return { ...ended, report: this.report('merged.json') };
  }

  async #mutate(line: readonly string[]) {
    const ended = await runCommand(['mutate', ...line], { FORCE_COLOR: '0' }, this.#folder.file('.'));
    return { ...ended, code: ended.exitCode, output: ended.stdout + ended.stderr };
  }

  report(name: string) {
    return mutateReport.parse(JSON.parse(this.read(name)));
  }

  read(name: string): string {
    return readFileSync(this.#folder.file(name), 'utf8');
  }

  write(name: string, text: string): void {
    writeFileSync(this.#folder.file(name), text);
  }
}

/** What suites of Node's own runner begin with: fixtures, and one paid message. */
export const NODE_HEAD = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emulatorFixtures } from 'svc-emulator/node-test';
const svc = emulatorFixtures();
const chat = (key = svc.account.apiKey) => fetch(svc.emulator.url + '/v1/chat/completions', {
  method: 'POST',
  headers: { authorization: 'Bearer ' + key, 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'svc-rp-mini', messages: [{ role: 'user', content: 'Good evening.' }] }),
});
`;

/** Two tests that send a message, of which one reads what it cost. */
export const NODE_SUITE = {
  'shop.test.mjs': `${NODE_HEAD}test('books what a message costs', async () => {
  const { usage } = await (await chat()).json();
  assert.deepEqual(usage, { credits_spent: 1, credits_remaining: 999 });
});
test('answers a message', async () => {
  const response = await chat();
  assert.equal(response.status, 200);
});
`,
};
export const NODE_COMMAND = [process.execPath, '--test', 'shop.test.mjs'];

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

/** Runs `svc-emulator mutate` over one of these suites, or over a text of its own. */
export function mutated(suite: keyof typeof SUITES | { text: string }, args: readonly string[]) {
  const text = typeof suite === 'string' ? SUITES[suite] : suite.text;
  const files = {
    'client.mjs': CLIENT,
    'suite.mjs': `import { assert, balance, call, chat } from './client.mjs';\n${text}\n`,
  };
  return new MeasuredSuite(files, ['node', 'suite.mjs']).run(args);
}

/** The verdict of each lie, by its name. */
export function verdicts({ lies }: { lies: readonly { lie: string; verdict: string }[] }): Record<string, string> {
  return Object.fromEntries(lies.map(({ lie, verdict }) => [lie, verdict]));
}
