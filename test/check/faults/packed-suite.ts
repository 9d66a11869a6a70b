import { readFileSync } from 'node:fs';
import type { CheckReport } from '../../../src/check/report.ts';
import { runCommand } from '../../support/run-command.ts';
import { SuiteFolder } from '../../support/suite-folder.ts';
import { SMALL_CLIENT, SMALL_COMMAND, SMALL_HEAD } from '../checked-suite.ts';

/** Eight tests that send a message; `MORE` is what they do with an answer. */
const SUITE = `${SMALL_HEAD}import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
appendFileSync('runs.txt', 'run\\n');
const ask = async (key) => (await chat(key).catch(() => ({ status: 0 }))).status;
for (let at = 1; at <= 8; at += 1) {
  test('returns ' + at, async (key) => {
    const status = await ask(key);
    MORE
  });
}
`;

export const TEST_COMMAND = ['--', ...SMALL_COMMAND];

export function suiteWith(more: string): SuiteFolder {
  return new SuiteFolder({ ...SMALL_CLIENT, 'suite.mjs': SUITE.replace('MORE', more) });
}

export async function checked(folder: SuiteFolder, ...options: readonly string[]) {
  const line = ['check', '--budget', '0', '--jobs', '2', '--report', 'found.json', ...options, ...TEST_COMMAND];
  const ended = await runCommand(line, {}, folder.file('.'));
  return {
    ...ended,
    report: reportIn(folder),
    runs: readFileSync(folder.file('runs.txt'), 'utf8').split('\n').length - 1,
  };
}

export function reportIn(folder: SuiteFolder): CheckReport {
  return JSON.parse(readFileSync(folder.file('found.json'), 'utf8'));
}
