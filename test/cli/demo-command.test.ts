import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { traceOpener } from '../control/trace/open-trace.ts';
import { recordIn } from '../control/trace/read-trace.ts';
import { runCommand } from '../support/run-command.ts';
import { world } from '../support/world.ts';
import { emptyFolder, startProgram, writeFiles } from './spawned-program.ts';

const openFile = await traceOpener();

it('writes the whole demo as one page that shows its images offline and contains its songs, without secrets', {
  timeout: 180_000,
}, async () => {
  const folder = emptyFolder();
  const args = ['demo', '--share', 'shared.html', '--seed', '7'];
  const { exitCode, stdout, stderr } = await runCommand(args, { STAGE_TOKEN: 'The lamp went out' }, folder);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout).toMatch(/^wrote shared\.html \(\d\.\d MB\)/);
  const html = readFileSync(path.join(folder, 'shared.html'), 'utf8');
  expect(html.length).toBeLessThan(30_000_000);
  const { head, media, orders } = recordIn(html);
  expect(head.leftOut).toEqual({ requests: 0, files: 0, rows: [] });
  const kinds = Object.values(media).map((url) => url.slice('data:'.length, url.indexOf(';')));
  expect(kinds).toEqual(expect.arrayContaining(['image/png', 'video/mp4', 'audio/mpeg']));
  const written = JSON.stringify(orders);
  expect(written).toContain('Are you still awake?');
  expect(written).not.toContain('The lamp went out');
  expect(written.match(/svc_sk_\w|whsec_\w/g)).toBeNull();

  const { page } = await openFile('shared.html', html);
  await page.getByText('A Lighthouse Keeper').first().click();
  await page.getByRole('list', { name: 'Steps' }).waitFor();
  const broken = 'Promise.all([...document.images].map((image) => image.decode()))';
  expect(await page.evaluate<unknown[]>(broken)).not.toHaveLength(0);
});

it('says below its addresses that the demo was not added to a data folder with other data, and how to get it', async () => {
  const folder = emptyFolder();
  await (await world({ ephemeral: false, dataDir: folder })).close();
  const { program } = await startProgram(['--demo', '--data-dir', folder, '--log', 'pretty']);
  await program.stop();
  const lines = program.stderr.split('\n');
  const at = lines.findIndex((line) => line.includes('contains other data, so the data of --demo was not added.'));
  expect(lines[at - 1]).toMatch(/^ {2}docs /);
  expect(lines[at]).toContain(folder);
  expect(lines[at]).toContain('svc-emulator call resetEmulator');
  expect(lines[at]).toContain('--data-dir');
});

it('says at the second start that the data folder already contains the data of --world', async () => {
  const folder = emptyFolder();
  writeFiles(folder, { 'world.json': { accounts: [{ name: 'Mara' }] } });
  const flags = ['--data-dir', path.join(folder, 'data'), '--world', path.join(folder, 'world.json')];
  const { program: first } = await startProgram(flags);
  await first.stop();
  expect(first.stderr).not.toContain('--world');
  const { program } = await startProgram(flags);
  await program.stop();
  expect(program.stderr.trimEnd().split('\n').at(-1)).toBe(
    `The data folder ${path.join(folder, 'data')} already contains the data of --world.`,
  );
});
