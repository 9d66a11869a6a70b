import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { lookUntil } from '../support/look-until.ts';
import { world } from '../support/world.ts';
import { emptyFolder, runToEnd, SpawnedProgram, untilEnded } from './spawned-program.ts';

const onLinux = it.runIf(process.platform === 'linux');

/** Signals that end a program without a handler. */
const ENDING = [
  ...(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGABRT', 'SIGUSR2', 'SIGALRM', 'SIGVTALRM'] as const),
  ...(['SIGPROF', 'SIGXCPU', 'SIGIO', 'SIGPWR', 'SIGSTKFLT'] as const),
].filter((name) => name in constants.signals);

/** A command that writes its process id to a file and never ends by itself. */
function endless() {
  const file = path.join(emptyFolder(), 'pid');
  const command = ['sh', '-c', `echo $$ > ${file}.new; mv ${file}.new ${file}; exec sleep 1006`];
  const pid = async () => {
    await lookUntil(() => existsSync(file));
    return Number(readFileSync(file, 'utf8'));
  };
  return { command, pid };
}

/** A temporary folder for one test, and a command that waits until everything in it is gone. */
function temporary() {
  const folder = path.join(emptyFolder(), 'tmp');
  mkdirSync(folder);
  const left = () => readdirSync(folder);
  const script = 'for each; do while [ -e "$each" ]; do sleep 0.1; done; done';
  const untilGone = () => ['sh', '-c', script, 'sh', ...left().map((name) => path.join(folder, name))];
  return { env: { TMPDIR: folder }, left, untilGone };
}

/** Expects that the process handles each signal that could end it. */
function expectHandlers(pid: number | undefined): void {
  const [, caught = ''] = /^SigCgt:\s*(\w+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  const isCaught = (name: NodeJS.Signals) =>
    ((BigInt(`0x${caught}`) >> BigInt(constants.signals[name] - 1)) & 1n) === 1n;
  expect(ENDING.filter((name) => !isCaught(name))).toEqual([]);
}

/** The exit code and the remaining folders after each signal. Rejects if a command continues. */
function endedBy(signals: readonly NodeJS.Signals[], line: readonly string[]) {
  const ends = signals.map(async (signal) => {
    const { command, pid } = endless();
    const { env, left } = temporary();
    const program = new SpawnedProgram([...line, '--', ...command], env, emptyFolder());
    const child = await pid();
    expect(left()).not.toEqual([]);
    expectHandlers(program.child.pid);
    const exitCode = await program.stop(signal);
    await untilEnded(child);
    return { signal, exitCode, left: left() };
  });
  return Promise.all(ends);
}

onLinux('ends the command of exec and removes its temporary folders after signals such as SIGUSR2', async () => {
  // The signals that a command may handle in its own way are passed on. The others become SIGTERM.
  const passed = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const;
  const end = (signal: NodeJS.Signals, sent: NodeJS.Signals = signal) => ({
    ...{ signal, exitCode: 128 + constants.signals[sent], left: [] },
  });
  const expected = [...passed.map((signal) => end(signal)), end('SIGUSR2', 'SIGTERM')];
  expect(await endedBy([...passed, 'SIGUSR2'], ['exec'])).toEqual(expected);
});

onLinux('ends the command of check and removes its temporary folders after signals such as SIGXCPU', async () => {
  const signals = ['SIGQUIT', 'SIGXCPU'] as const;
  const expected = signals.map((signal) => ({ signal, exitCode: 128 + constants.signals[signal], left: [] }));
  expect(await endedBy(signals, ['check'])).toEqual(expected);
});

onLinux('ends the command of mcp after a signal such as SIGALRM', async () => {
  const { port } = new URL((await world()).url);
  const clientInfo = { name: 'test', version: '1' };
  const { command, pid } = endless();
  const line = ['mcp', '--port', port, '--', ...command];
  const program = new SpawnedProgram(line, {}, undefined, process.execPath, {}, 'pipe');
  const call = (id: number, method: string, params: object) =>
    program.child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
  call(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  await program.heard('stdout', (text) => (text.includes('"id":1') ? true : undefined));
  call(2, 'tools/call', { name: 'run_command', arguments: {} });
  const child = await pid();
  expectHandlers(program.child.pid);
  await program.stop('SIGALRM');
  await untilEnded(child);
  expect(program.stderr).toBe('');
});

/** Waits only for the exit, because the command of the program continues and may keep the output open. */
async function killed({ child }: SpawnedProgram): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

it('removes the temporary folders of a killed exec or check at its next run, which also stops the command of a killed check', async () => {
  for (const line of [['exec'], ['check']]) {
    const { command, pid } = endless();
    const { env, left, untilGone } = temporary();
    const program = new SpawnedProgram([...line, '--', ...command], env, emptyFolder());
    const child = await pid();
    await killed(program);
    expect(left()).not.toEqual([]);
    if (line[0] === 'exec') process.kill(child, 'SIGKILL');
    await runToEnd([...line, '--', ...untilGone()], env, emptyFolder());
    expect(left()).toEqual([]);
    await untilEnded(child);
  }
});
