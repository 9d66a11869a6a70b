import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { expect, it } from 'vitest';
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

  it(`has two bugs for the example ${name} that can be planted`, () => {
    const patches = readdirSync(path.join(EXAMPLES, name, 'bugs'));
    expect(patches).toHaveLength(2);
    for (const patch of patches) {
      const line = ['apply', '--check', '-p1', '--directory', `examples/${name}`, `examples/${name}/bugs/${patch}`];
      execFileSync('git', line, { cwd: path.dirname(EXAMPLES) });
    }
  });
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
