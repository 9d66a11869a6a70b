import { readFileSync, writeFileSync } from 'node:fs';
import { mutateReport } from '../../../src/check/tests/mutate-report.ts';
import { runCommand } from '../../support/run-command.ts';
import { SuiteFolder } from '../../support/suite-folder.ts';

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

/** A suite in a folder of its own, measured by the command as a user runs it. */
export class MeasuredSuite {
  readonly #folder: SuiteFolder;
  readonly #command: readonly string[];

  constructor(files: Record<string, string>, command: readonly string[]) {
    this.#folder = new SuiteFolder(files);
    this.#command = command;
  }

  /** Runs `svc-emulator mutate` over it; `report` is the name of its JSON report. */
  async measure(args: readonly string[], report = 'report.json') {
    const line = ['--trust', '--report', report, ...args, '--', ...this.#command];
    return { ...(await this.#mutate(line)), report: this.report(report) };
  }

  /** Runs `svc-emulator mutate merge` over JSON reports in its folder. */
  async merge(args: readonly string[]) {
    const ended = await this.#mutate(['merge', '--report', 'merged.json', ...args]);
    return { ...ended, report: this.report('merged.json') };
  }

  async #mutate(line: readonly string[]) {
    const ended = await runCommand(['mutate', ...line], { FORCE_COLOR: '0' }, this.#folder.file('.'));
    const { exitCode: code, stdout, stderr } = ended;
    return { code, stdout, output: stdout + stderr };
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
