import path from 'node:path';
import { parseBuffer } from 'music-metadata';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { probeClip } from '../support/clip-probe.ts';
import { followPage, sectionOf } from './follow-page.ts';
import { layProgram, ReaderFolder } from './terminal.ts';

const MAIN = path.join(import.meta.dirname, '..', '..', 'dist', 'main.js');

/** Five files are rendered, each by a process of its own. */
const PATIENCE = { timeout: 120_000 };

it('writes every file that the page of placeholders promises, with no emulator running', PATIENCE, async () => {
  const folder = new ReaderFolder({ standIn: true, modules: false });
  layProgram(path.join(folder.path, 'bin'), 'svc-emulator', MAIN);
  // What npx finds in a project is laid into the path here.
  const page = sectionOf('docs/scripted-answers.md', '## Placeholders').replaceAll('npx svc-emulator', 'svc-emulator');
  await followPage(page, { folder, emulatorUrl: 'http://127.0.0.1:4600', receiverPort: 0 });

  for (const picture of ['a-red-fox-in-the-snow.png', 'lake.png', 'foxes.png']) {
    expect(await sharp(folder.file(picture)).metadata()).toMatchObject({ format: 'png', width: 1024, height: 1024 });
  }
  expect(await probeClip(folder.file('sea.mp4'))).toMatchObject({ seconds: 5 });
  const lengths = ['shipped.mp3', 'shanty.mp3'].map(async (sound) => {
    const { format } = await parseBuffer(folder.file(sound), 'audio/mpeg', { duration: true });
    return format.duration ?? 0;
  });
  const [spoken = 0, sung = 0] = await Promise.all(lengths);
  expect(spoken).toBeGreaterThan(1);
  expect(sung).toBeGreaterThan(25);
});
