import { expect, it } from 'vitest';
import { emptyFolder, folderOf } from '../cli/spawned-program.ts';
import { flatPicture } from '../support/flat-picture.ts';
import { reply, script, scripted } from '../support/scripting.ts';
import { type World, world } from '../support/world.ts';

const picture = await flatPicture('teal');
const bytesOf = (url: string) => Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');

async function uses(here: World): Promise<number[]> {
  const { body } = await here.control('GET', '/fixtures');
  return body.data.map((fixture: { uses: number }) => fixture.uses);
}

it('restores scripted answers from a snapshot, with their uses and files', async () => {
  const here = await world();
  const account = await scripted(here, [{ answers: [{ text: 'One' }, { text: 'Two' }], times: 2 }]);
  await script(account, { answer: { file: picture } });
  expect(await reply(account, 'Hello.')).toBe('One');
  await here.control('POST', '/snapshots', { name: 'scene' });
  expect(await reply(account, 'Hello.')).toBe('Two');
  await here.control('DELETE', '/fixtures');
  expect(await uses(here)).toEqual([]);
  for (const round of [1, 2]) {
    expect((await here.control('POST', '/snapshots/scene/restore')).status, `${round}`).toBe(200);
    expect(await uses(here)).toEqual([0, 1]);
    expect(await reply(account, 'Hello.')).toBe('Two');
    expect((await reply(account, 'Hello.')).length).toBeGreaterThan(5);
    const { body } = await account.post('/images/generations', { prompt: 'a pier' });
    expect(Buffer.from(body.data[0].b64_json, 'base64').equals(bytesOf(picture))).toBe(true);
    const charges = ['charge -1', 'charge -1', 'charge -1', 'charge -10'];
    expect(await account.ledger()).toEqual(['grant 50', ...charges]);
  }
});

it('keeps scripted answers made over HTTP after a restart, and removes them at a reset', async () => {
  const dataDir = emptyFolder();
  const fixtures = folderOf({
    'a.json': { fixtures: [{ match: { message: 'tide' }, answer: { text: 'TIDE' }, times: 2 }] },
  });
  const settings = { ephemeral: false, dataDir, fixtures };
  const first = await world(settings);
  const account = await first.account();
  await script(account, { match: { message: 'boat' }, answer: { text: 'BOAT' }, times: 2 });
  expect([await reply(account, 'boat'), await reply(account, 'tide')]).toEqual(['BOAT', 'TIDE']);
  await first.close();
  const here = await world(settings);
  const again = account.in(here);
  expect(await uses(here)).toEqual([1, 1]);
  expect([await reply(again, 'boat'), await reply(again, 'tide')]).toEqual(['BOAT', 'TIDE']);
  expect(await reply(again, 'boat')).not.toBe('BOAT');
  await here.control('POST', '/reset');
  expect(await uses(here)).toEqual([0]);
  const fresh = await here.account();
  expect(await reply(fresh, 'tide')).toBe('TIDE');
  await script(fresh, { match: { message: 'boat' }, answer: { text: 'BOAT' } });
  expect(await reply(fresh, 'boat')).toBe('BOAT');
});
