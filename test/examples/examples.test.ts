import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { expect, it } from 'vitest';
import type { CheckReport } from '../../src/check/report.ts';
import { decodeToken } from '../../src/check/token.ts';
import { MAIN } from '../cli/spawned-program.ts';
import { SuiteFolder } from '../support/suite-folder.ts';

const EXAMPLES = path.join(import.meta.dirname, '..', '..', 'examples');
const hasPytest = spawnSync('python3', ['-m', 'pytest', '--version']).status === 0;
const hasSqlite = canOpenSqlite();
const PYTEST = 'npx svc-emulator python-client --out svc_emulator.py && python3 -m pytest -q';

const RUNS: readonly [string, string, RegExp, boolean][] = [
  ['shop', 'npm test', /Tests .*5 passed/, hasSqlite],
  ['chat', 'npm test', /^(?:#|ℹ) pass 5$/mu, true],
  ['studio', PYTEST, /^6 passed/m, hasPytest],
];

for (const [name, command, passed, isHere] of RUNS) {
  it.runIf(isHere)(`passes the tests of the example ${name}`, async () => {
    const folder = new SuiteFolder(path.join(EXAMPLES, name));
    const { code, output } = await folder.runCommand('bash', ['-c', command], { NO_COLOR: '1' });
    expect(code, output).toBe(0);
    expect(output).toMatch(passed);
  });

  it(`contains two patches with bugs for the example ${name}`, () => {
    const patches = readdirSync(path.join(EXAMPLES, name, 'bugs'));
    expect(patches).toHaveLength(2);
    for (const patch of patches) {
      const line = ['apply', '--check', '-p1', '--directory', `examples/${name}`, `examples/${name}/bugs/${patch}`];
      execFileSync('git', line, { cwd: path.dirname(EXAMPLES) });
    }
  });
}

it('finds the bug half-reply of the example chat with check, and passes its replay after the bug is removed', async () => {
  const folder = new SuiteFolder(path.join(EXAMPLES, 'chat'));
  const patch = (...flags: string[]) =>
    folder.runCommand('patch', ['-p1', '--input', 'bugs/half-reply.patch', ...flags]);
  await patch();
  // This tries one fault in the one test that it affects, without a time limit.
  const { exit, findings } = await check(folder, '--only', 'cut:middle', '--budget', '0');
  expect([exit, findings.length]).toEqual([1, 1]);
  expect(findings[0]).toMatchObject({
    check: 'detects-cut-streams',
    test: { name: 'streams a reply and shows the balance', file: 'chat.test.js' },
    advice: expect.stringContaining('[DONE]'),
  });
  expect(decodeToken(findings[0]?.token ?? '')).toMatchObject({
    check: 'detects-cut-streams',
    scene: { faults: [{ fault: 'cut:middle', site: 'POST /v1/chat/completions #1' }] },
  });
  await patch('-R');
  expect(await check(folder, '--replay', findings[0]?.token ?? '')).toMatchObject({ exit: 0, findings: [] });
});

async function check(folder: SuiteFolder, ...flags: string[]): Promise<CheckReport> {
  const command = ['node', '--test', '--test-name-pattern', 'streams a reply', 'chat.test.js'];
  await folder.runCommand(process.execPath, [MAIN, 'check', ...flags, '--report', 'found.json', '--', ...command]);
  return JSON.parse(readFileSync(folder.file('found.json'), 'utf8'));
}

/** The native part of `better-sqlite3` fits the version of Node that installed it. */
function canOpenSqlite(): boolean {
  try {
    const Database = createRequire(import.meta.url)('better-sqlite3');
    new Database(':memory:').close();
    return true;
  } catch {
    return false;
  }
}
