import { parseBuffer } from 'music-metadata';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { signatureHeader } from '../../src/engine/webhooks/signature.ts';
import { freePort } from '../support/free-port.ts';
import { type World, world } from '../support/world.ts';
import { followPage, readPage } from './follow-page.ts';
import { tableNumbers } from './page-code.ts';
import { ReaderFolder } from './terminal.ts';

/** The walkthrough renders a song of two takes, speech and an image. */
const PATIENCE = { timeout: 180_000 };

const quickStart = await world();

it(
  'returns the documented results of the walk through the service [R010 R047 R048 R049 R156 R170 R211 R214 R215 I021 I068 I070 I071]',
  PATIENCE,
  async () => {
    const page = readPage('docs/walkthrough.md');
    const folder = new ReaderFolder();
    const receiverPort = await freePort();
    const receiver = await followPage(page, { folder, emulatorUrl: quickStart.url, receiverPort });

    const picture = await sharp(folder.file('lighthouse.png')).metadata();
    expect(picture).toMatchObject({ format: 'png', width: 1024, height: 1024 });
    expect((await audioOf(folder, 'speech.mp3')).codec).toMatch(/Layer 3$/);
    for (const take of [1, 2]) await expectTake(folder, quickStart, take);
    expect((await receiver?.shows('2 verified'))?.trimEnd().split('\n')).toEqual([
      'receiver ready',
      expect.stringMatching(/^1 verified: music\.generation\.succeeded, take [12]$/),
      expect.stringMatching(/^2 verified: music\.generation\.succeeded, take [12]$/),
    ]);
    await expectForgeriesRefused(folder, `http://127.0.0.1:${receiverPort}`);
    await expectBill(quickStart, page);
  },
);

it('lists in the README one command that installs and starts the emulator, and one that installs and runs the tests', () => {
  const commands = readPage('README.md').match(/^npm .*$/gm);

  expect(commands?.slice(0, 2)).toEqual(['npm ci && npm run build && npm start', 'npm ci && npm test']);
});

async function audioOf(folder: ReaderFolder, file: string) {
  const { format } = await parseBuffer(folder.file(file), 'audio/mpeg', { duration: true });
  return format;
}

/** Checks that the downloaded take is complete and in the documented format. */
async function expectTake(folder: ReaderFolder, at: World, take: number): Promise<void> {
  const event = JSON.parse(folder.file(`take-${take}.json`).toString());
  const { body: job } = await (await at.first()).get(`/music/generations/${event.id}`);
  expect(job).toMatchObject({ status: 'succeeded', take, seconds: 30 });
  const format = await audioOf(folder, `take-${take}.mp3`);
  expect(format).toMatchObject({ codec: 'MPEG 1 Layer 3', bitrate: 320_000, sampleRate: 48_000 });
  expect(format.numberOfChannels).toBe(2);
  expect(format.duration).toBeCloseTo(job.duration, 1);
}

/** Checks that the receiver of the page rejects deliveries that are unsigned, forged, altered or old. */
async function expectForgeriesRefused(folder: ReaderFolder, receiver: string): Promise<void> {
  const { secret } = JSON.parse(folder.file('webhook.json').toString());
  const body = '{"type":"music.generation.succeeded","data":{"take":9}}';
  const now = Math.floor(Date.now() / 1000);
  const forged = [
    '',
    `t=${now},v1=é`,
    signatureHeader('whsec_of_somebody_else', now, body),
    signatureHeader(secret, now, `${body} `),
    signatureHeader(secret, now - 301, body),
  ];
  for (const header of forged) {
    const answer = await fetch(receiver, {
      method: 'POST',
      body,
      headers: { 'svc-signature': header },
    });
    expect(answer.status, header).toBe(400);
  }
  expect(() => folder.file('take-9.json')).toThrow('ENOENT');
}

/** Checks that the ledger has exactly the charges of the page's table, and that no other events were sent. */
async function expectBill(at: World, page: string): Promise<void> {
  const account = await at.first();
  const charges = tableNumbers(page, '## The cost').map((amount) => `charge -${amount}`);
  expect(await account.ledger()).toEqual(['grant 50', 'top_up 99950', ...charges]);
  const songs = ['music.generation.succeeded', 'music.generation.succeeded'];
  expect(await account.events()).toEqual(['image.generation.succeeded', ...songs]);
  expect((await account.deliveries()).map(({ type }) => type)).toEqual(songs);
  expect(await at.invariants()).toMatchObject({ ok: true });
}
