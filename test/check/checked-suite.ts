import { readFileSync, writeFileSync } from 'node:fs';
import { type CheckReport, readCheckReport } from '../../src/check/report.ts';
import { runCommand } from '../support/run-command.ts';
import { SuiteFolder } from '../support/suite-folder.ts';

/** A suite in a folder of its own, checked by the command as a user runs it. */
export class CheckedSuite {
  readonly #folder: SuiteFolder;
  readonly #command: readonly string[];

  constructor(files: Record<string, string>, command: readonly string[]) {
    this.#folder = new SuiteFolder(files);
    this.#command = command;
  }

  /** Runs `svc-emulator check` over it to its end; `report` is its JSON report. */
  async check(...args: readonly string[]) {
    const budget = args.includes('--budget') ? [] : ['--budget', '0'];
    const jobs = args.includes('--jobs') ? [] : ['--jobs', '2'];
    const line = ['check', ...budget, ...jobs, '--report', 'found.json', ...args, '--', ...this.#command];
    const ended = await runCommand(line, { FORCE_COLOR: '0' }, this.folder);
    return { ...ended, output: ended.stdout + ended.stderr, report: this.report('found.json') };
  }

  get folder(): string {
    return this.#folder.file('.');
  }

  report(name: string): CheckReport {
    const report = readCheckReport(JSON.parse(this.read(name)));
    if (!report) throw new Error(`${name} is no report.`);
    return report;
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

/** One of these suites, or a text of its own. */
export function suiteOf(suite: keyof typeof SUITES | { text: string }): CheckedSuite {
  const text = typeof suite === 'string' ? SUITES[suite] : suite.text;
  const files = {
    'client.mjs': CLIENT,
    'suite.mjs': `import { assert, balance, call, chat } from './client.mjs';\n${text}\n`,
  };
  return new CheckedSuite(files, ['node', 'suite.mjs']);
}

/** The result of each violation that reached a test, by its name. */
export function resultsOf({ violations }: CheckReport): Record<string, string> {
  return Object.fromEntries(violations.flatMap(({ name, site, result }) => (site === '' ? [] : [[name, result]])));
}

/** The ids of the checks in a state. */
export function idsIn({ checks }: CheckReport, state: string): string[] {
  return checks.filter((check) => check.state === state).map(({ id }) => id);
}
