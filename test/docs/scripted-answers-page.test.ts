import { expect, it } from 'vitest';
import { folderOf } from '../cli/spawned-program.ts';
import { flatPicture } from '../support/flat-picture.ts';
import { smallClip } from '../support/given-files.ts';
import { reply } from '../support/scripting.ts';
import { world } from '../support/world.ts';
import { followPage, readPage } from './follow-page.ts';
import { ReaderFolder } from './terminal.ts';

/** The page up to the section on seed data. */
const [PAGE = ''] = readPage('docs/scripted-answers.md').split('\n## Seed data\n');
const YAML = /^```yaml\n([\s\S]*?)^```$/gm;

it('returns the documented scripted answer that was added over HTTP', async () => {
  const emulator = await world();
  const commands = PAGE.replaceAll(YAML, '');
  await followPage(commands, {
    ...{ folder: new ReaderFolder(), emulatorUrl: emulator.url, receiverPort: 0 },
  });
  const { body } = await emulator.control('GET', '/fixtures');
  expect(body.data).toMatchObject([{ source: 'http', uses: 1, remaining: null }]);
});

it('returns the documented scripted answers from a folder', async () => {
  const [[, text = ''] = []] = PAGE.matchAll(YAML);
  const picture = Buffer.from((await flatPicture('teal')).split(',')[1] ?? '', 'base64');
  const files = { 'pictures/lighthouse.png': picture, 'clips/pier.mp4': smallClip() };
  const folder = folderOf({ 'page.yaml': text, ...files });
  const emulator = await world({ fixtures: folder });
  const account = await emulator.account({ credits: 500 });
  expect(await reply(account, 'Hello.')).toBe('Hello.');
  const image = await account.post('/images/generations', { prompt: 'a lighthouse' });
  expect(Buffer.from(image.body.data[0].b64_json, 'base64').equals(picture)).toBe(true);
  const clip = { prompt: 'a pier' };
  expect((await account.post('/videos/generations', clip)).body.error.code).toBe('render_failed');
  const busy = await account.post('/videos/generations', clip);
  expect([busy.status, busy.headers.get('retry-after')]).toEqual([429, '2']);
  expect((await account.post('/videos/generations', clip)).status).toBe(200);
  expect(await account.ledger()).toEqual([
    ...['grant 50', 'top_up 450', 'charge -1', 'charge -10'],
    ...['charge -100', 'refund 100', 'charge -100'],
  ]);
});
