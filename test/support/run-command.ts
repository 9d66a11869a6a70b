import { runProgram } from '../../src/cli/program.ts';

/** What a command said and ended with. */
export interface Ended {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/**
 * Runs a command of the program in this process, one at a time: its exit code, and what it wrote. Signals, standard input and
 * what outlives the command need a process of its own: `SpawnedProgram`.
 */
export async function runCommand(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  const said = { stdout: '', stderr: '' };
  const before = { stdout: process.stdout.write, stderr: process.stderr.write, env: { ...process.env } };
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
  Object.assign(process.env, env);
  try {
    const exitCode = await runProgram(args);
    return { exitCode, ...said };
  } finally {
    process.stdout.write = before.stdout;
    process.stderr.write = before.stderr;
    for (const name of Object.keys(env)) {
      if (before.env[name] === undefined) delete process.env[name];
      else process.env[name] = before.env[name];
    }
  }
}
