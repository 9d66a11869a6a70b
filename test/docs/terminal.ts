import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { emptyFolder, ProgramGroup } from '../cli/spawned-program.ts';
import { cleanEnvironment } from '../support/run-clock.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
const MODULES = path.join(ROOT, 'node_modules');
const run = promisify(execFile);

/** A folder with the packages that a reader has installed, such as `openai`. It is removed after the test. */
export class ReaderFolder {
  readonly path = emptyFolder();
  readonly #env: NodeJS.ProcessEnv;

  /** `modules` is the folder of packages, or false for none. */
  constructor({ modules = MODULES }: { modules?: string | false } = {}) {
    const installed = path.join(this.path, 'node_modules');
    if (modules) symlinkSync(modules, installed, 'junction');
    const searched = [path.dirname(process.execPath), process.env.PATH];
    // No other variables of this process, such as a proxy or the curl settings of the user.
    this.#env = cleanEnvironment({ PATH: searched.join(path.delimiter), HOME: this.path });
  }

  file(name: string): Buffer {
    return readFileSync(path.join(this.path, name));
  }

  /** Runs a shell block to its end and returns its output. Rejects with its errors if a line fails. */
  async run(command: string): Promise<string> {
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', command], this.#options());
    return stdout;
  }

  /** Starts a shell block that does not end, and kills it at the end of the test. */
  open(command: string): Terminal {
    return new Terminal('bash', ['-c', command], this.#options());
  }

  #options() {
    return { cwd: this.path, env: this.#env };
  }
}

export class Terminal extends ProgramGroup {
  /** Resolves with all output once it contains `text` at least `times` times; rejects if the program ends before. */
  shows(text: string, times = 1): Promise<string> {
    return this.heard('stdout', (shown) => (shown.split(text).length > times ? shown : undefined));
  }
}

/** A folder with these files, in which only `svc-emulator` is installed. */
export function folderWithProgram(files: Record<string, string>): ReaderFolder {
  const folder = new ReaderFolder({ modules: false });
  const bin = path.join(folder.path, 'node_modules', '.bin');
  mkdirSync(bin, { recursive: true });
  layProgram(bin, 'svc-emulator', path.join(ROOT, 'dist', 'main.js'));
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder.path, name), text);
  return folder;
}

/** Writes a program with this name into a folder. It runs a script with Node. */
export function layProgram(programs: string, name: string, script: string): void {
  const program = path.join(programs, name);
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${script}" "$@"\n`);
  chmodSync(program, 0o755);
}

/** Runs a command as a reader would, without the variables of the test. */
export function runAsReader(command: string, cwd: string, more: Record<string, string> = {}) {
  const { SVC_BASE_URL: _, NODE_ENV: __, VITEST: ___, ...inherited } = process.env;
  const options = { cwd, env: { ...inherited, ...more }, encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync('bash', ['-euc', command], options);
  return { status, output: stdout + stderr };
}
