import { STOP_SIGNALS } from '../../src/cli/process-end.ts';
import { runProgram } from '../../src/cli/program.ts';
import { cleanEnvironment } from './run-clock.ts';

export interface Ended {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/**
 * Runs a command of the program in this process, one at a time, and returns its exit code and its own output. Signals,
 * standard input and processes that outlive the command need a process of its own (`SpawnedProgram`, `runToEnd`).
 * `commandHere` makes the command that it runs.
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
  const listening = new Set(STOP_SIGNALS.flatMap((name) => process.listeners(name)));
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
    // A command listens to signals until its process ends, so this removes its listeners.
    for (const name of STOP_SIGNALS) {
      for (const each of process.listeners(name)) if (!listening.has(each)) process.off(name, each);
    }
  }
}
