import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type CheckReport, readCheckReport } from '../../src/check/report.ts';
import { type CommandRun, commandHere } from '../support/command-here.ts';
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

const CLIENT_FILE = 'small-client.cjs';
/** What the suites import: their processes end soon. */
export const SMALL_CLIENT = { [CLIENT_FILE]: readFileSync(path.join(import.meta.dirname, CLIENT_FILE), 'utf8') };
export const SMALL_HEAD = `import { assert, balance, call, chat, test } from './${CLIENT_FILE}';\n`;
export const SMALL_COMMAND = [process.execPath, 'suite.mjs'];

/** Two tests that send a message, of which one reads what it cost. */
export const SMALL_TESTS = `test('books what a message costs', async (key) => {
  const { usage } = (await chat(key)).body;
  assert.deepEqual(usage, { credits_spent: 1, credits_remaining: 999 });
});
test('returns a message', async (key) => {
  assert.equal((await chat(key)).status, 200);
});
`;

/** A suite with the small client. */
export function suiteOf(text: string, command: readonly string[] = SMALL_COMMAND): CheckedSuite {
  return new CheckedSuite({ ...SMALL_CLIENT, 'suite.mjs': SMALL_HEAD + text }, command);
}

/** A suite whose runs do `work` here. */
export async function suiteHere(work: (run: CommandRun) => Promise<unknown>): Promise<CheckedSuite> {
  return new CheckedSuite({}, await commandHere(work));
}

/** The same two tests, here. */
export async function smallTests(run: CommandRun): Promise<void> {
  await run.test('books what a message costs', async (key) => {
    const { usage } = (await run.chat(key)).body;
    assert.deepEqual(usage, { credits_spent: 1, credits_remaining: 999 });
  });
  await run.test('returns a message', async (key) => {
    assert.equal((await run.chat(key)).status, 200);
  });
}

/** The result of each violation that reached a test, by its name. */
export function resultsOf({ violations }: CheckReport): Record<string, string> {
  return Object.fromEntries(violations.flatMap(({ name, site, result }) => (site === '' ? [] : [[name, result]])));
}

/** The ids of the checks in a state. */
export function idsIn({ checks }: CheckReport, state: string): string[] {
  return checks.filter((check) => check.state === state).map(({ id }) => id);
}
