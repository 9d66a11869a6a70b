import path from 'node:path';
import { expect, it } from 'vitest';
import { canFetchNode, fetchNode } from '../../../scripts/other-node.mjs';
import { emptyFolder, startProgram } from '../../cli/spawned-program.ts';

const SONG = { prompt: 'a waltz for two', seconds: 30, n: 1 };

it.runIf(canFetchNode).each([
  ['20', '24'],
  ['24', '20'],
  ['22', '20'],
  ['24', '22'],
])('starts on a data folder with a snapshot that Node %s wrote, with Node %s', async (first, second) => {
  const folder = path.join(emptyFolder(), 'data');
  const on = (major: string) =>
    startProgram(['--data-dir', folder, '--log', 'silent'], {}, undefined, fetchNode(major).node);

  const one = await on(first);
  const account = await one.here.account({ credits: 100 });
  expect((await account.made('/music/generations', SONG)).body.status).toBe('succeeded');
  expect((await one.here.control('POST', '/snapshots', { name: 'song' })).status).toBe(201);
  expect((await account.post('/images/generations', { prompt: 'a pier' })).status).toBe(200);
  const before = await account.entries();
  expect(await one.program.stop()).toBe(0);
  expect(one.program.stderr).toBe('');

  const other = await on(second);
  const same = account.in(other.here);
  expect(await same.entries()).toEqual(before);
  expect((await other.here.control('POST', '/snapshots/song/restore')).status).toBe(200);
  expect(await same.ledger()).toEqual(['grant 50', 'top_up 50', 'charge -3']);
  expect(await other.here.invariants()).toMatchObject({ ok: true });
  expect(await same.library()).toMatchObject([{ kind: 'music' }]);
  expect((await same.post('/images/generations', { prompt: 'a pier' })).status).toBe(200);
  expect(await other.program.stop()).toBe(0);
  expect(other.program.stderr).toBe('');

  const again = await on(first);
  expect(await account.in(again.here).balance()).toBe(87);
  expect(await again.here.invariants()).toMatchObject({ ok: true });
  expect(await again.program.stop()).toBe(0);
});
