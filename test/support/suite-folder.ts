import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

const ROOT = path.join(import.meta.dirname, '..', '..');

/** A project of somebody else with a suite of its own: `svc-emulator`, `vitest` and `openai` resolve. Gone after the test. */
export class SuiteFolder {
  readonly #path = mkdtempSync(path.join(tmpdir(), 'suite-folder-'));

  constructor(files: Record<string, string>) {
    onTestFinished(() => rmSync(this.#path, { recursive: true, force: true }));
    const modules = path.join(this.#path, 'node_modules');
    mkdirSync(modules);
    symlinkSync(ROOT, path.join(modules, 'svc-emulator'));
    for (const name of ['vitest', 'openai']) {
      symlinkSync(path.join(ROOT, 'node_modules', name), path.join(modules, name));
    }
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(path.join(this.#path, name), text);
    }
  }

  /** Runs the suite with an emulator of its own, whatever runs beside it. */
  run(...flags: string[]): Promise<{ code: unknown; stdout: string; output: string }> {
    const vitest = path.join(ROOT, 'node_modules/vitest/vitest.mjs');
    const line = [vitest, 'run', '--root', this.#path, ...flags];
    const { SVC_BASE_URL: _, ...env } = process.env;
    return new Promise((resolve) => {
      execFile(process.execPath, line, { env, cwd: this.#path }, (error, stdout, stderr) =>
        resolve({ code: error?.code ?? 0, stdout, output: stdout + stderr }),
      );
    });
  }
}
