import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { emptyFolder } from '../../cli/spawned-program.ts';
import { runCommand } from '../../support/run-command.ts';
import { world } from '../../support/world.ts';
import { FREE_PATCHES, PAID_PATCHES } from './planted.ts';
import { drift, TwistedService } from './stand-in.ts';

const folder = emptyFolder();
const standIn = await world();

it.each([
  // What the refusals of songs need.
  ['fifteen differences of refusals and reads', FREE_PATCHES, ['--budget', '13'], 2],
  ['the differences of what is paid', PAID_PATCHES, ['--budget', '20'], 10],
])('finds each of %s, with its rule or choice, and nothing else', async (_what, patches, flags, credits) => {
  const { key } = await standIn.account({ credits: 100 });
  const proxy = await TwistedService.start(standIn.url, (answer) => {
    for (const { patch } of patches) patch(answer);
  });
  const { exitCode, found, report } = await drift(folder, { url: proxy.url, key }, flags);
  expect([...new Set(found)].toSorted()).toEqual(patches.map((each) => each.found).toSorted());
  expect([exitCode, report.exit, report.measured.credits]).toEqual([1, 1, credits]);
});

it('finds no difference in an emulator with another seed and a profile of durations', async () => {
  const other = await world({ seed: 7, profile: 'production' });
  const { key } = await other.account({ credits: 500 });
  const { exitCode, found } = await drift(folder, { url: other.url, key }, ['--budget', '0']);
  expect([exitCode, found]).toEqual([0, []]);
});

it('finds no difference in a strict emulator, nor later in the shapes of what is paid', async () => {
  const other = await world({ strict: true });
  const { key } = await other.account({ credits: 500 });
  const shapes = path.join(folder, 'paid.json');
  const { exitCode, found } = await drift(folder, { url: other.url, key }, ['--budget', '28', '--shapes', shapes]);
  expect([exitCode, found]).toEqual([0, []]);
  const { cases, credits } = JSON.parse(readFileSync(shapes, 'utf8'));
  const checked = await runCommand(['drift', '--check', shapes]);
  expect([checked.exitCode, credits]).toEqual([0, 18]);
  expect(checked.stdout).toContain(`${cases.length} same (`);
});
