import { execFileSync } from 'node:child_process';
import { afterEach, expect, it, vi } from 'vitest';
import { CHECK_IDS } from '../../src/check/checks.ts';
import { formatReportForTerminal } from '../../src/cli/terminal-output.ts';
import { cleanEnvironment } from '../support/run-clock.ts';
import { folderOf, MAIN } from './spawned-program.ts';

afterEach(() => vi.unstubAllEnvs());

const TEXT = 'ok      port  4600 is free\nFAILED  data  the folder cannot be used by this user';
const inkOf = (line: string) => (line.startsWith('FAILED') ? 'red' : 'green');

it('colors and wraps the lines of a report on a terminal, but not in a pipe or CI, and does not color them with NO_COLOR', () => {
  const terminal = { isTTY: true, columns: 40, write: () => true };
  vi.stubEnv('CI', '');
  vi.stubEnv('NO_COLOR', '');
  expect(formatReportForTerminal(TEXT, inkOf, terminal)).toBe(
    '\u001b[32mok      port  4600 is free\u001b[39m\n\u001b[31mFAILED  data  the folder cannot be used\n              by this user\u001b[39m',
  );
  expect(formatReportForTerminal(TEXT, inkOf, { ...terminal, isTTY: false })).toBe(TEXT);
  vi.stubEnv('NO_COLOR', '1');
  expect(formatReportForTerminal(TEXT, inkOf, terminal)).not.toContain('\u001b');
  vi.stubEnv('CI', 'true');
  expect(formatReportForTerminal(TEXT, inkOf, terminal)).toBe(TEXT);
});

it('does not wrap a command on a terminal, and assumes 80 columns if the size is unknown', () => {
  vi.stubEnv('CI', '');
  const terminal = { isTTY: true, columns: 0, write: () => true };
  const command = `    Replay: npx svc-emulator check --replay c1-${'x'.repeat(90)} -- npm test`;
  const lines = formatReportForTerminal(`${command}\n${'word '.repeat(20)}`, () => undefined, terminal).split('\n');
  expect(lines).toEqual([command, 'word '.repeat(16).trimEnd(), 'word '.repeat(4)]);
});

const FINDING = {
  ...{ token: 'c1-a', also: [], check: 'pays-once', kind: 'fault', title: 'delivery #1 arrives twice', state: 'new' },
  ...{ happened: ['It failed.'], advice: 'Store the id of each event that you handled, and do nothing more for it.' },
  replay: 'npx svc-emulator check --replay c1-a-token-that-is-longer-than-the-terminal -- npm test',
};
const PASSED = CHECK_IDS.map((id) => ({ id, state: 'passed', tried: { run: 1, of: 1 }, findings: [] }));
const REPORT = {
  ...{ version: '0.1.0', command: 'npm test', seed: 1, commit: null, shard: { i: 1, n: 1 }, exit: 1 },
  ...{ measured: { planned: 1, run: 1, seconds: 1 }, expects_success: [], dead_tests: [], spend: null },
  checks: PASSED.map((each) => (each.id === 'pays-once' ? { ...each, state: 'failed', findings: ['c1-a'] } : each)),
  findings: [FINDING],
};

it('colors and wraps the report of check on a real terminal', () => {
  const cwd = folderOf({ 'one.json': JSON.stringify(REPORT) });
  const line = `stty cols 60; '${process.execPath}' '${MAIN}' check merge one.json; true`;
  const env = cleanEnvironment({ CI: '', NO_COLOR: '' });
  const printed = execFileSync('script', ['-qec', line, '/dev/null'], { cwd, env, encoding: 'utf8' });
  expect(printed.replaceAll('\r', '')).toContain(
    [
      '\u001b[31mFAILED pays-once\u001b[39m',
      '  - delivery #1 arrives twice',
      '    It failed.',
      '    Fix: Store the id of each event that you handled, and do',
      '    nothing more for it.',
      `    Replay: ${FINDING.replay}`,
    ].join('\n'),
  );
  expect(printed).toContain(`\u001b[31m${CHECK_IDS.length - 1} passed, 1 failed\u001b[39m`);
});
