import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { Supervisor } from '../../src/cli/supervise.ts';
import { takenPort } from '../support/free-port.ts';
import { lookUntil } from '../support/look-until.ts';
import { world } from '../support/world.ts';
import {
  balance,
  chat,
  emptyFolder,
  idleConnection,
  isRunning,
  runToEnd,
  type SpawnedProgram,
  startProgram,
} from './spawned-program.ts';

/** The process that does the work of a supervised program. */
function worker({ child }: SpawnedProgram): number {
  return Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8'));
}

/** Kills that process, and answers where the one that takes its place listens. */
function crash(program: SpawnedProgram): Promise<string> {
  process.kill(worker(program), 'SIGKILL');
  return program.ready(2);
}

it('comes back on the port that was picked and on its folder when it is killed [I204 I155]', async () => {
  const folder = emptyFolder();
  const { program, url } = await startProgram(['--supervise', '--data-dir', folder]);
  const left = await chat(url);
  const first = worker(program);
  expect(await crash(program)).toBe(url);
  expect(worker(program)).not.toBe(first);
  expect(await balance(url)).toBe(left);
  expect(await chat(url)).toBe(left - 1);
  expect(await program.stop()).toBe(0);
  expect(program.stdout).toBe(`svc-emulator ready on ${url}\n`.repeat(2));
});

it('keeps what is ephemeral and its control token over a crash, and leaves nothing behind [I204 I155 I095]', async () => {
  const TMPDIR = emptyFolder();
  const { program, url } = await startProgram(['--supervise', '--ephemeral', '--host', '0.0.0.0'], { TMPDIR });
  const local = url.replace('0.0.0.0', '127.0.0.1');
  const token = /^control token: (\S+)$/m.exec(program.stdout)?.[1];
  const left = await chat(local);
  await crash(program);
  expect(await balance(local)).toBe(left);
  const answer = await fetch(`${local}/_emulator/accounts`, { headers: { authorization: `Bearer ${token}` } });
  expect(answer.status).toBe(200);
  expect(program.stdout.match(/control token/g)).toHaveLength(1);
  expect(readdirSync(TMPDIR)).toHaveLength(1);
  expect(await program.stop()).toBe(0);
  expect(readdirSync(TMPDIR)).toEqual([]);
});

it('stops once at SIGHUP, with 0 [I204 I150 I203]', async () => {
  const { program } = await startProgram(['--supervise', '--ephemeral', '--log', 'silent']);
  const pid = worker(program);
  // As a terminal does: both processes are told, and the supervisor tells the other one again.
  process.kill(pid, 'SIGHUP');
  expect(await program.stop('SIGHUP')).toBe(0);
  expect(isRunning(pid)).toBe(false);
  expect(program.stderr).toBe('');
});

it('ends at once with 1 at the second signal [I204 I203]', async () => {
  const TMPDIR = emptyFolder();
  const { program, url } = await startProgram(['--supervise', '--ephemeral'], { TMPDIR });
  const pid = worker(program);
  const cut = expect(chat(url, '[[slow:600]] Take your time.')).rejects.toThrow();
  await lookUntil(async () => (await balance(url)) !== 100_000);
  const idle = await idleConnection(url);
  program.child.kill('SIGTERM');
  await once(idle, 'close');
  expect(await program.stop('SIGINT')).toBe(1);
  await cut;
  expect(isRunning(pid)).toBe(false);
  expect(readdirSync(TMPDIR)).toEqual([]);
});

it('leaves no orphan and no folder when the supervisor itself is killed [I204]', async () => {
  const TMPDIR = emptyFolder();
  const { program, url } = await startProgram(['--supervise', '--ephemeral'], { TMPDIR });
  // The end of its output comes when the last process that could write has ended.
  await program.stop('SIGKILL');
  await expect(fetch(url)).rejects.toThrow();
  expect(readdirSync(TMPDIR)).toEqual([]);
});

it('ends as the emulator does that cannot start, with its message and exit code [I204 I150]', async () => {
  const port = await takenPort();
  const flags = ['start', '--supervise', '--ephemeral', '--port', `${port}`];
  const { exitCode, stdout, stderr } = await runToEnd(flags);
  expect([exitCode, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(new RegExp(`^svc-emulator: Port ${port} of 127.0.0.1 is in use.*\n$`));

  const folder = emptyFolder();
  await world({ ephemeral: false, dataDir: folder });
  const second = await runToEnd(['start', '--supervise', '--port', '0', '--data-dir', folder]);
  expect(second.exitCode).toBe(3);
});

it('gives a process up that is killed over and over [I204]', async () => {
  const folder = emptyFolder();
  const program = path.join(folder, 'short-lived.cjs');
  const log = path.join(folder, 'lives');
  writeFileSync(
    program,
    `require('node:fs').appendFileSync(${JSON.stringify(log)}, '.'); process.kill(process.pid, 'SIGKILL');`,
  );
  const order = { flags: {}, folder: undefined };
  const supervisor = new Supervisor({ order, program, mostRestarts: 3 });
  await expect(supervisor.run()).rejects.toMatchObject({
    exitCode: 1,
    message: expect.stringMatching(/^The emulator was killed more than 3 times within 60 s, and is not started again/),
  });
  expect(readFileSync(log, 'utf8')).toHaveLength(4);
});

it('refuses to be supervised by no one [I150]', async () => {
  const { exitCode, stderr } = await runToEnd(['supervised']);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('use start --supervise');
});
