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

/** A process and all that it says, killed at the latest when its test, or its file, is over. */
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

  /** Resolves with what `look` finds in what it says, as soon as it is there; rejects when the program ends before. */
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

  /** Resolves with the exit code once the process is gone and all it said was read. */
  async ended(): Promise<number | null> {
    await this.#closed;
    return this.child.exitCode;
  }

  stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    this.child.kill(signal);
    return this.ended();
  }
}

/** A program with all that it starts, in a process group of its own, which is killed when its test, or its file, is over. */
export class ProgramGroup extends RunningProgram {
  constructor(command: string, words: readonly string[], options: SpawnOptions) {
    super(spawn(command, words, { ...options, detached: true }));
    atEnd(() => {
      try {
        this.signal('SIGKILL');
      } catch {
        // All of it has ended.
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

/** An empty folder that is gone after the test; made outside of one, after the last test of the file. */
export function emptyFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'cli-test-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

type Files = Record<string, string | Buffer | object>;

/** A folder with these files, gone as an empty one is. */
export function folderOf(files: Files): string {
  const folder = emptyFolder();
  writeFiles(folder, files);
  return folder;
}

/** Writes files, also into folders below; an object as JSON. */
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

/** A paid turn of chat of the first account; answers the balance that is left. */
export async function chat(url: string, content = 'Hello.'): Promise<number> {
  const account = await new World({ url }).first();
  const { body } = await account.post('/chat/completions', { ...CHAT, messages: [{ role: 'user', content }] });
  return body.usage.credits_remaining;
}

export async function balance(url: string): Promise<number> {
  return (await new World({ url }).first()).balance();
}

/** A connection that waits for its next request: it is closed when nothing listens any more. */
export async function idleConnection(url: string): Promise<Socket> {
  const agent = new Agent({ keepAlive: true });
  const [answer] = await once(request(`${url}/v1/models`, { agent }).end(), 'response');
  const { socket } = answer;
  answer.resume();
  await once(answer, 'end');
  return socket;
}

/** What has ended and was not asked for yet counts as ended. */
export function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    // It is gone, or the system does not say.
    return false;
  }
}

/** What was killed is there until the system gets to it. */
export function untilEnded(pid: number): Promise<void> {
  return lookUntil(() => !isRunning(pid));
}
