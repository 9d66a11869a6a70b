import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import type { CheckReport } from '../../src/check/report.ts';
import { emptyFolder } from '../cli/spawned-program.ts';
import { type CommandRun, commandHere } from '../support/command-here.ts';
import { runCommand } from '../support/run-command.ts';

/** Options without a time limit, so that a busy machine finds the same. */
export const ALL = ['--budget', '0', '--jobs', '2'];

/** Runs `check` on a command or on a function in this process, and returns its exit code, output and report. */
export async function checked(
  work: readonly string[] | ((run: CommandRun) => Promise<unknown>),
  args: readonly string[],
  { folder = emptyFolder(), env = {} }: { folder?: string; env?: Record<string, string> } = {},
) {
  const command = typeof work === 'function' ? await commandHere(work) : work;
  const line = ['check', ...args, '--report', 'found.json', '--', ...command];
  const ended = await runCommand(line, { FORCE_COLOR: '0', ...env }, folder);
  const report = reportIn(folder);
  requireAgreement(report, ended.stderr, args.includes('--replay'));
  return { ...ended, report };
}

/** Checks that the report contains each printed token, fails a check for each new finding, and counts consistently. */
function requireAgreement({ checks, findings, measured }: CheckReport, stderr: string, isReplay: boolean): void {
  const printed = [...stderr.matchAll(/^ {2}Replay: .*--replay (c1-\S+)/gm)].map(([, token]) => token);
  expect(findings.flatMap(({ token, also }) => [token, ...also])).toEqual(expect.arrayContaining(printed));
  const found = isReplay ? [] : findings.filter(({ kind }) => kind === 'fault');
  expect(found.filter(({ token, also }) => ![token, ...also].some((each) => printed.includes(each)))).toEqual([]);
  const failed = checks.filter(({ state }) => state === 'failed').map(({ id }) => id);
  expect(failed).toEqual(
    expect.arrayContaining(findings.flatMap(({ state, check }) => (state === 'new' ? [check] : []))),
  );
  const passed = checks.filter(({ state }) => state === 'passed');
  expect(passed.filter(({ tried, why }) => tried.run < tried.of && why === undefined)).toEqual([]);
  if (measured.run === measured.planned) expect(checks.filter(({ tried }) => tried.run < tried.of)).toEqual([]);
}

export function idsIn({ checks }: CheckReport, state: string): string[] {
  return checks.filter((check) => check.state === state).map(({ id }) => id);
}

export function reportIn(folder: string, name = 'found.json'): CheckReport {
  return JSON.parse(readFileSync(path.join(folder, name), 'utf8'));
}

/** Receives the status of a test's message, which is 0 if no response came. */
type More = (turn: { at: number; status: number; ask(): Promise<number> }) => Promise<void> | void;

/** Six tests that send a message. */
export const sixTests = (more: More) => async (run: CommandRun) => {
  for (let at = 1; at <= 6; at += 1) {
    await run.test(`returns ${at}`, async (key) => {
      const ask = async () => (await run.chat(key).catch(() => ({ status: 0 }))).status;
      await more({ at, status: await ask(), ask });
    });
  }
};
