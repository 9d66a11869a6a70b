import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ProgramGroup } from '../cli/spawned-program.ts';
import { lookUntil } from '../support/look-until.ts';
import { SuiteFolder, VITEST } from '../support/suite-folder.ts';

const START = `
import { startEmulator } from 'svc-emulator';
const emulator = await startEmulator();
const account = await emulator.account({ credits: 70 });`;
const PRINT = 'console.log(await account.balance());';

const SAY = "console.log('there');";
const HANG = `${SAY} setInterval(() => {}, 1000);`;
const OWN_HANDLER = "process.on('SIGINT', () => process.exit(9)); process.kill(process.pid, 'SIGINT');";
const WAIT =
  "await (await fetch(emulator.url + '/_emulator/health')).text(); await new Promise((resolve) => setTimeout(resolve, 300));";

it.each<[string, string, unknown, string]>([
  ['by itself, although a client keeps its connection and nobody closes the emulator', `${WAIT} ${PRINT}`, 0, '70\n'],
  ['by itself, after it has closed the emulator', `${PRINT} await emulator.close();`, 0, '70\n'],
  ['by SIGTERM', `${HANG} process.kill(process.pid, 'SIGTERM');`, 'SIGTERM', 'there\n'],
  ['by process.exit', `${SAY} process.exit(7);`, 7, 'there\n'],
  ['by an uncaught error', `${SAY} throw new Error('no');`, 1, 'there\n'],
  ['by a signal handler of its own', `${HANG} ${OWN_HANDLER}`, 9, 'there\n'],
])('lets a program that starts an emulator end %s, and leaves no temporary folder', async (_how, work, end, said) => {
  const folder = new SuiteFolder({ 'a.mjs': START + work });
  const temporary = folder.file('temporary');
  mkdirSync(temporary);
  const program = started(folder, ['a.mjs'], temporary);
  await program.ended();
  expect([program.child.signalCode ?? program.child.exitCode, program.stdout]).toEqual([end, said]);
  expect(readdirSync(temporary)).toEqual([]);
});

const HUNG = `
import { writeFileSync } from 'node:fs';
import { test } from 'svc-emulator/vitest';
test('waits forever', { timeout: 20_000 }, async ({ account }) => {
  writeFileSync('there', account.id);
  await new Promise(() => setInterval(() => {}, 1000));
});`;

it.runIf(process.platform === 'linux').each<[what: string, signal: NodeJS.Signals, isGroup: boolean]>([
  ['interrupted', 'SIGINT', true],
  ['killed', 'SIGKILL', false],
])('leaves no temporary folder if a Vitest run is %s', async (_what, signal, isGroup) => {
  const folder = new SuiteFolder({ 'a.test.js': HUNG });
  const temporary = folder.file('temporary');
  mkdirSync(temporary);
  const run = started(folder, [VITEST, 'run'], temporary);
  await lookUntil(() => existsSync(folder.file('there')) || run.child.exitCode !== null).catch((error: unknown) => {
    throw new Error(`The test did not begin: ${run.stdout}`, { cause: error });
  });
  expect(run.child.exitCode, run.stdout).toBeNull();
  expect(left(temporary)).toHaveLength(1);
  const exit = once(run.child, 'exit');
  if (isGroup) run.signal(signal);
  else run.child.kill(signal);
  await exit;
  await lookUntil(() => left(temporary).length === 0);
});

const left = (temporary: string) => readdirSync(temporary).filter((name) => name.startsWith('svc-emulator-'));

function started(folder: SuiteFolder, line: readonly string[], temporary: string): ProgramGroup {
  const env = { ...process.env, SVC_EMULATOR_WARM: 'false', TMPDIR: temporary };
  return new ProgramGroup(process.execPath, line, { cwd: folder.file('.'), env, stdio: ['ignore', 'pipe', 'ignore'] });
}
