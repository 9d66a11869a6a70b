import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'vitest';
import { atEnd } from '../support/at-end.ts';
import { lookUntil } from '../support/look-until.ts';
import { cleanEnvironment } from '../support/run-clock.ts';
import { CHAT } from '../support/wire.ts';
import { World } from '../support/world.ts';

export const MAIN = path.join(import.meta.dirname, '..', '..', 'dist', 'main.js');
const READY = /^svc-emulator ready on (\S+)$/gm;

/** A process with its output, killed at the end of its test, or of the file if it was started outside a test. */
export class RunningProgram {
  readonly child: ChildProcess;
  readonly #closed: Promise<unknown>;
  stdout = '';
  stderr = '';

  constructor(child: ChildProcess) {
    this.child = child;
    this.#closed = new Promise((resolve) => child.once('close', resolve));
    child.stdout?.on('data', (text) => {
      this.stdout += text;
    });
    child.stderr?.on('data', (text) => {
      this.stderr += text;
    });
    atEnd(() => {
      child.kill('SIGKILL');
      expect(this.stderr, 'no bug is logged').not.toContain('failed by a bug');
    });
  }

  /** Resolves with the first result of `look` on the output that is not undefined; rejects if the program ends before. */
  heard<T>(stream: 'stdout' | 'stderr', look: (text: string) => T | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const hear = () => {
        const found = look(this[stream]);
        if (found !== undefined) resolve(found);
      };
      this.child[stream]?.on('data', hear);
      this.child.once('close', () => reject(new Error(`Ended before it was heard: ${this.stderr}`)));
      hear();
    });
  }

  /** Resolves with the address of the nth ready line. */
  ready(n = 1): Promise<string> {
    return this.heard('stdout', (text) => [...text.matchAll(READY)][n - 1]?.[1]);
  }

  /** Resolves with the exit code once the process has ended and its output was read. */
  async ended(): Promise<number | null> {
    await this.#closed;
    return this.child.exitCode;
  }

  stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    this.child.kill(signal);
    return this.ended();
  }
}

/** A program and its child processes in their own process group, killed at the end of the test or file. */
export class ProgramGroup extends RunningProgram {
  constructor(command: string, words: readonly string[], options: SpawnOptions) {
    super(spawn(command, words, { ...options, detached: true }));
    atEnd(() => {
      try {
        this.signal('SIGKILL');
      } catch {
        // The whole group has already ended.
      }
    });
  }

  signal(name: NodeJS.Signals): void {
    process.kill(-Number(this.child.pid), name);
  }
}

/** The built program in a process of its own. */
export class SpawnedProgram extends RunningProgram {
  constructor(
    args: readonly string[],
    env: Record<string, string> = {},
    cwd?: string,
    node = process.execPath,
    user: { uid?: number; gid?: number } = {},
    input: 'ignore' | 'pipe' = 'ignore',
  ) {
    super(spawn(node, [MAIN, ...args], { env: cleanEnvironment(env), stdio: [input, 'pipe', 'pipe'], cwd, ...user }));
  }
}

export interface StartedProgram {
  program: SpawnedProgram;
  url: string;
  here: World;
}

/** Starts on a free port of this machine and waits until it is ready. */
export async function startProgram(
  args: readonly string[],
  env: Record<string, string> = {},
  cwd?: string,
  node?: string,
): Promise<StartedProgram> {
  const program = new SpawnedProgram(['start', '--port', '0', ...args], env, cwd, node);
  const url = await program.ready();
  return { program, url, here: new World({ url }) };
}

export async function runToEnd(args: readonly string[], env: Record<string, string> = {}, cwd?: string) {
  const program = new SpawnedProgram(args, env, cwd);
  const exitCode = await program.ended();
  return { exitCode, stdout: program.stdout, stderr: program.stderr };
}

/** An empty folder that is removed after the test, or after the file if it was made outside a test. */
export function emptyFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'cli-test-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

type Files = Record<string, string | Buffer | object>;

/** A folder with these files, removed like an empty one. */
export function folderOf(files: Files): string {
  const folder = emptyFolder();
  writeFiles(folder, files);
  return folder;
}

/** Writes files, including into subfolders. An object is written as JSON. */
export function writeFiles(folder: string, files: Files): void {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    const isRaw = typeof content === 'string' || Buffer.isBuffer(content);
    writeFileSync(file, isRaw ? content : JSON.stringify(content, null, 2));
  }
}

/** A file in a folder of its own. */
export function fileOf(name: string, text: string | Buffer): string {
  const file = path.join(emptyFolder(), name);
  writeFileSync(file, text);
  return file;
}

/** Sends a paid chat as the first account, and returns the remaining balance. */
export async function chat(url: string, content = 'Hello.'): Promise<number> {
  const account = await new World({ url }).first();
  const { body } = await account.post('/chat/completions', { ...CHAT, messages: [{ role: 'user', content }] });
  return body.usage.credits_remaining;
}

export async function balance(url: string): Promise<number> {
  return (await new World({ url }).first()).balance();
}

/** A kept-alive connection, which closes once the emulator stops listening. */
export async function idleConnection(url: string): Promise<Socket> {
  const agent = new Agent({ keepAlive: true });
  const [answer] = await once(request(`${url}/v1/models`, { agent }).end(), 'response');
  const { socket } = answer;
  answer.resume();
  await once(answer, 'end');
  return socket;
}

/** A zombie counts as ended. */
export function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    // The process is gone, or the system has no /proc.
    return false;
  }
}

/** A killed process remains until the system removes it. */
export function untilEnded(pid: number): Promise<void> {
  return lookUntil(() => !isRunning(pid));
}
