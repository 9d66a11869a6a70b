import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type BenchRow, medians } from './bench-row.ts';
import { gateModules } from './bench-tools.ts';
import {
  type BenchSuite,
  jestSuite,
  type Kind,
  nodeTestSuite,
  playwrightSuite,
  pytestSuite,
  TESTS,
  vitestSuite,
} from './suite-files.ts';

const ROUNDS = 3;

/**
 * Milliseconds per test beyond those with a stub, for each runner. One file is timed from its first test to its last,
 * including the start of the emulator.
 */
export async function suiteBench(): Promise<BenchRow[]> {
  // Vitest finds no tests below a folder `node_modules`.
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-bench-'));
  try {
    install(folder);
    const suites = await installedSuites();
    const acts: Record<string, () => number> = {};
    for (const [name, suite] of Object.entries(suites)) {
      for (const kind of ['ours', 'stub'] as const) acts[`${name} ${kind}`] = () => timeTests(folder, suite, kind);
    }
    const found = await medians(acts, ROUNDS);
    return Object.keys(suites).map((name) => rowOf(name, found[`${name} ours`] ?? 0, found[`${name} stub`] ?? 0));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function rowOf(runner: string, ours: number, theirs: number): BenchRow {
  const name = `ms that a test of ${runner} adds: account, chat, ledger`;
  const ratio = (ours - theirs) / TESTS;
  return { name, ours: `${ours.toFixed(0)} ms`, theirs: `${theirs.toFixed(0)} ms`, ratio, bar: '<= 4' };
}

/** The suites by runner. A missing runner is left out, and the reason is printed. */
async function installedSuites(): Promise<Record<string, BenchSuite>> {
  const suites: Record<string, BenchSuite> = {
    Vitest: vitestSuite(),
    'node:test': nodeTestSuite(),
    Playwright: playwrightSuite(),
  };
  const skip = (name: string, reason: string) => process.stdout.write(`skip ${name}: ${reason}\n`);
  try {
    suites.Jest = jestSuite(await gateModules());
  } catch (error) {
    skip('Jest', `it cannot be installed: ${(error as Error).message.split('\n')[0]}`);
  }
  if (spawnSync('python3', ['-m', 'pytest', '--version']).status === 0) suites.pytest = pytestSuite();
  else skip('pytest', 'python3 -m pytest cannot be run');
  return suites;
}

/** Copies the package as npm does, because Vitest transforms the files of a linked package. */
function install(folder: string): void {
  const modules = path.join(folder, 'node_modules');
  const own = path.join(modules, 'svc-emulator');
  mkdirSync(own, { recursive: true });
  for (const each of ['dist', 'package.json', 'fixtures', 'src/base/database/schema.sql']) {
    cpSync(path.resolve(each), path.join(own, each), { recursive: true });
  }
  for (const each of readdirSync(path.resolve('node_modules'))) {
    if (each !== 'svc-emulator' && each !== '.bin')
      symlinkSync(path.resolve('node_modules', each), path.join(modules, each));
  }
  // The pytest plugin starts this program.
  mkdirSync(path.join(modules, '.bin'));
  symlinkSync(path.join(own, 'dist/main.js'), path.join(modules, '.bin', 'svc-emulator'));
  writeFileSync(path.join(folder, 'package.json'), '{}');
}

function timeTests(folder: string, { files, command: [program = '', ...line] }: BenchSuite, kind: Kind): number {
  for (const [file, text] of Object.entries(files(kind))) writeFileSync(path.join(folder, file), text);
  const { status, stdout, stderr } = spawnSync(program, line, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`The tests failed: ${[program, ...line].join(' ')}\n${stdout}${stderr}`);
  return Number(readFileSync(path.join(folder, 'took.txt'), 'utf8'));
}
