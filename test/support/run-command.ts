import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { runProgram } from '../../src/cli/program.ts';
import { emptyFolder } from '../cli/spawned-program.ts';
import { cleanEnvironment } from './run-clock.ts';

/** What a command said and ended with. */
export interface Ended {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/**
 * Runs a command of the program in this process, one at a time: its exit code, and what it wrote itself. Signals, standard
 * input and what outlives it need a process of its own (`SpawnedProgram`, `runToEnd`); what a command beside it prints is
 * heard by `runBeside`.
 */
export async function runCommand(
  args: readonly string[],
  env: Record<string, string> = {},
  cwd: string = process.cwd(),
): Promise<Ended> {
  const said = { stdout: '', stderr: '' };
  const before = { stdout: process.stdout.write, stderr: process.stderr.write, env: process.env, cwd: process.cwd() };
  const hear = (stream: 'stdout' | 'stderr') => {
    process[stream].write = (chunk: string | Uint8Array, ...rest: unknown[]) => {
      said[stream] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
      const done = rest.find((each) => typeof each === 'function');
      if (done) queueMicrotask(() => done());
      return true;
    };
  };
  hear('stdout');
  hear('stderr');
  process.env = cleanEnvironment(env);
  process.chdir(cwd);
  try {
    const exitCode = await runProgram(args);
    return { exitCode, ...said };
  } finally {
    process.chdir(before.cwd);
    process.env = before.env;
    process.stdout.write = before.stdout;
    process.stderr.write = before.stderr;
  }
}

/** Runs `exec` with these flags in this process, and Node with these words beside it: what that printed is part of `stdout`. */
export async function runBeside(
  flags: readonly string[],
  words: readonly string[],
  { env = {}, program = process.execPath }: { env?: Record<string, string>; program?: string } = {},
): Promise<Ended> {
  const file = path.join(emptyFolder(), 'printed');
  const intoFile = ['sh', '-c', 'exec "$@" > "$0"', file];
  const ended = await runCommand(['exec', ...flags, '--', ...intoFile, program, ...words], env);
  return { ...ended, stdout: ended.stdout + (existsSync(file) ? readFileSync(file, 'utf8') : '') };
}
