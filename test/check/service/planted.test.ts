import { expect, it } from 'vitest';
import { emptyFolder } from '../../cli/spawned-program.ts';
import { world } from '../../support/world.ts';
import { FREE_PATCHES, PAID_PATCHES } from './planted.ts';
import { drift, TwistedService } from './stand-in.ts';

const folder = emptyFolder();
const standIn = await world();

it('finds each of fifteen differences of refusals and reads, with its rule or choice, and nothing else', async () => {
  const { key } = await standIn.account();
  const proxy = await TwistedService.start(standIn.url, (answer) => {
    for (const { patch } of FREE_PATCHES) patch(answer);
  });
  // What the refusals of songs need.
  const { exitCode, found, report } = await drift(folder, { url: proxy.url, key }, ['--budget', '13']);
  expect([...new Set(found)].toSorted()).toEqual(FREE_PATCHES.map((each) => each.found).toSorted());
  expect([exitCode, report.exit, report.measured.credits]).toEqual([1, 1, 2]);
});

it('finds each of the differences of what is paid', async () => {
  const { key } = await standIn.account({ credits: 100 });
  const proxy = await TwistedService.start(standIn.url, (answer) => {
    for (const { patch } of PAID_PATCHES) patch(answer);
  });
  const { exitCode, found } = await drift(folder, { url: proxy.url, key }, ['--budget', '20']);
  expect([...new Set(found)].toSorted()).toEqual(PAID_PATCHES.map((each) => each.found).toSorted());
  expect(exitCode).toBe(1);
});
