import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { emptyFolder } from '../cli/spawned-program.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
export const VITEST = path.join(ROOT, 'node_modules/vitest/vitest.mjs');

/** Packages that a suite may import besides `svc-emulator`. */
const PACKAGES = ['vitest', 'openai', 'undici', 'express', 'stripe', 'better-sqlite3', '@playwright', '@sparticuz'];

const installed: { path?: string } = {};

/**
 * The package as npm installs it, because runners do not compile files below `node_modules`. It is made once in this
 * process, and removed with the temporary folder of the run.
 */
function installedPackage(): string {
  if (installed.path !== undefined) return installed.path;
  const folder = path.join(mkdtempSync(path.join(tmpdir(), 'svc-package-')), 'node_modules', 'svc-emulator');
  cpSync(path.join(ROOT, 'dist'), path.join(folder, 'dist'), { recursive: true });
  for (const name of readdirSync(ROOT)) {
    if (name !== 'dist') symlinkSync(path.join(ROOT, name), path.join(folder, name));
  }
  installed.path = folder;
  return folder;
}

/** A project with its own suite, removed after the test. It can use `svc-emulator`, the packages above and the runners. */
export class SuiteFolder {
  readonly #path = emptyFolder();

  /** `files` are texts by file name, or the path of a folder to copy. */
  constructor(files: Record<string, string> | string) {
    const modules = path.join(this.#path, 'node_modules');
    mkdirSync(modules);
    symlinkSync(installedPackage(), path.join(modules, 'svc-emulator'));
    for (const name of PACKAGES) {
      symlinkSync(path.join(ROOT, 'node_modules', name), path.join(modules, name));
    }
    const programs = path.join(modules, '.bin');
    mkdirSync(programs);
    symlinkSync(path.join(ROOT, 'dist/main.js'), path.join(programs, 'svc-emulator'));
    symlinkSync(VITEST, path.join(programs, 'vitest'));
    if (typeof files === 'string') cpSync(files, this.#path, { recursive: true });
    for (const [name, text] of Object.entries(typeof files === 'string' ? {} : files)) {
      writeFileSync(this.file(name), text);
    }
  }

  file(name: string): string {
    return path.join(this.#path, name);
  }

  /** Runs the suite with Vitest, which starts its own emulator. */
  run(...flags: string[]): Promise<{ code: unknown; stdout: string; output: string }> {
    return this.runCommand(process.execPath, [VITEST, 'run', '--root', this.#path, ...flags]);
  }

  runCommand(
    command: string,
    line: readonly string[],
    more: Record<string, string> = {},
  ): Promise<{ code: unknown; stdout: string; output: string }> {
    const { SVC_BASE_URL: _, ...inherited } = process.env;
    const env = { ...inherited, SVC_EMULATOR_WARM: 'false', ...more };
    return new Promise((resolve) => {
      execFile(command, line, { env, cwd: this.#path }, (error, stdout, stderr) =>
        resolve({ code: error?.code ?? 0, stdout, output: stdout + stderr }),
      );
    });
  }
}
