import { mkdirSync, readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { SuiteFolder } from '../support/suite-folder.ts';

const START = `
import { startEmulator } from 'svc-emulator';
const emulator = await startEmulator();
const account = await emulator.account({ credits: 70 });`;
const PRINT = 'console.log(await account.balance());';

it.each([
  ['nobody closes the emulator', PRINT],
  ['a client keeps its connection', `await (await fetch(emulator.url + '/_emulator/health')).text(); ${PRINT}`],
  ['it only waits between requests', `await new Promise((resolve) => setTimeout(resolve, 300)); ${PRINT}`],
  ['it closes the emulator', `${PRINT} await emulator.close();`],
])('ends a process by itself if %s', async (_what, work) => {
  const folder = new SuiteFolder({ 'a.mjs': START + work });
  const temporary = folder.file('temporary');
  mkdirSync(temporary);
  const { code, output } = await folder.runCommand(process.execPath, ['a.mjs'], { TMPDIR: temporary });
  expect([code, output]).toEqual([0, '70\n']);
  expect(readdirSync(temporary)).toEqual([]);
});
