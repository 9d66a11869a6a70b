import { parseBuffer } from 'music-metadata';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { probeClip } from '../support/clip-probe.ts';
import { populated } from '../support/demo-rig.ts';
import { world } from '../support/world.ts';
import { followPage, readPage } from './follow-page.ts';
import { ReaderFolder } from './terminal.ts';

const emulator = await world({ demo: true });

it('runs the flow of the demo page to its end for the documented credits [I079 I080 I132]', {
  timeout: 180_000,
}, async () => {
  const folder = new ReaderFolder();
  const account = await populated(emulator);
  const before = (await account.ledger()).length;
  await followPage(readPage('docs/demo.md'), {
    ...{ folder, emulatorUrl: emulator.url, receiverPort: 0 },
  });

  expect((await account.ledger()).slice(before)).toEqual(['charge -6', 'charge -10', 'charge -60']);
  const song = await parseBuffer(folder.file('song.mp3'), 'audio/mpeg', { duration: true });
  expect(song.format.duration).toBeGreaterThan(50);
  const cover = await sharp(folder.file('cover.png')).metadata();
  expect(cover).toMatchObject({ format: 'png', width: 1024, height: 1024 });
  expect(await probeClip(folder.file('teaser.mp4'))).toMatchObject({ seconds: 5 });
  const runs = (await account.events()).slice(7).filter((type) => type.startsWith('flow.run'));
  expect(runs).toEqual(['flow.run.succeeded']);
  await emulator.idle();
  const { body } = await emulator.control('GET', '/inbox/demo/messages');
  expect(body.data).toHaveLength((await account.events()).length);
  expect(await emulator.invariants()).toMatchObject({ ok: true });
});
