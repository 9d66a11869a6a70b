import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { emptyFolder } from '../../cli/spawned-program.ts';
import { runCommand } from '../../support/run-command.ts';
import { world } from '../../support/world.ts';
import { drift } from './stand-in.ts';

const folder = emptyFolder();

it('finds no difference in an emulator with another seed and a profile of durations', async () => {
  const standIn = await world({ seed: 7, profile: 'production' });
  const { key } = await standIn.account({ credits: 500 });
  const { exitCode, found } = await drift(folder, { url: standIn.url, key }, ['--budget', '0']);
  expect([exitCode, found]).toEqual([0, []]);
});

it('finds no difference in a strict emulator, nor later in the shapes of what is paid', async () => {
  const standIn = await world({ strict: true });
  const { key } = await standIn.account({ credits: 500 });
  const shapes = path.join(folder, 'paid.json');
  const { exitCode, found } = await drift(folder, { url: standIn.url, key }, ['--budget', '28', '--shapes', shapes]);
  expect([exitCode, found]).toEqual([0, []]);
  const { cases, credits } = JSON.parse(readFileSync(shapes, 'utf8'));
  const checked = await runCommand(['drift', '--check', shapes]);
  expect([checked.exitCode, credits]).toEqual([0, 18]);
  expect(checked.stdout).toContain(`${cases.length} same (`);
});
