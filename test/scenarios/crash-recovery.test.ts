import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { openSqlite } from '../../src/base/database/open-sqlite.ts';
import { startLife } from '../support/lives.ts';
import { lookUntil } from '../support/look-until.ts';
import { subscribe } from '../support/receiver.ts';
import type { TestAccount, World } from '../support/world.ts';

/** Starts a life whose jobs settle after this many seconds. */
const start = (seconds = 0.2) => startLife(['--settle-after', `${seconds}`]);

/** How many jobs in the folder have a recorded outcome. */
function rendered(folder: string): number {
  const db = openSqlite(path.join(folder, 'emulator.db'), { readonly: true });
  try {
    return db.prepare('SELECT 1 FROM jobs WHERE outcome IS NOT NULL').all().length;
  } finally {
    db.close();
  }
}

async function statuses(account: TestAccount): Promise<string[]> {
  return (await account.jobs()).map(({ status }) => status);
}

it('renders both takes of a song again that a crash interrupted, and publishes one event for each [I062 R047 R223 I066]', async () => {
  // The settle time is so long that no event comes before the crash, even if the crash is late.
  const before = await start(3600);
  const ana = await before.here.account({ credits: 100 });
  const events = ['music.generation.succeeded', 'music.generation.failed'];
  const { receiver } = await subscribe(ana, events);
  const order = { prompt: 'a song of the sea', seconds: 30 };
  const { body } = await ana.post('/music/generations', order);
  await lookUntil(async () => (await statuses(ana)).includes('processing'));
  expect(receiver.requests).toEqual([]);

  const { here } = await before.next();
  const her = ana.in(here);
  await here.advance(0);
  const requests = await receiver.received(2);
  expect(requests.map(({ body: sent }) => JSON.parse(sent).type)).toEqual([events[0], events[0]]);
  for (const { id } of body.data) {
    const record = (await her.get(`/music/generations/${id}`)).body;
    expect(record.status).toBe('succeeded');
    expect(Math.abs(record.duration - 30)).toBeLessThan(5);
    expect(
      (await here.call('GET', new URL(record.result_url).pathname + new URL(record.result_url).search)).status,
    ).toBe(200);
  }
  expect(await her.ledger()).toEqual(['grant 50', 'top_up 50', 'charge -3', 'charge -3']);
  expect(await her.events()).toEqual([events[0], events[0]]);
  expect(receiver.requests).toHaveLength(2);
  expect((await here.invariants()).ok).toBe(true);
  expect(readdirSync(path.join(before.folder, 'tmp'))).toEqual([]);
});

/** Orders ten takes of four minutes each, so that later orders wait, on any machine. */
async function keepBusy(here: World): Promise<void> {
  const busy = await here.account({ credits: 400 });
  const songs = Array.from({ length: 5 }, (_, n) => ({ prompt: `song ${n} of the sea`, seconds: 240 }));
  const answers = await Promise.all(songs.map((song) => busy.post('/music/generations', song)));
  expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(202));
}

const NO_PICTURE = ['image.generation.failed'];
const NO_CLIP = ['video.generation.failed'];
const TIDE = 'The tide comes in, and the tide goes out again. '.repeat(60);
const CUT_OFF = [
  ['clip', '/videos/generations', { prompt: 'a harbour', duration: '10s' }, 180, NO_CLIP],
  ['stored picture', '/images/generations', { prompt: 'a fox', store: true }, 12, NO_PICTURE],
  ['speech', '/audio/speech', { input: TIDE, voice: 'aria' }, undefined, []],
] as const;

it('refunds a video, a stored image and speech that a crash interrupted, and fails their jobs with the code interrupted [I211 I106 I062 R005 R117 R220]', async () => {
  const before = await start();
  await keepBusy(before.here);
  const calls = await Promise.all(
    CUT_OFF.map(async ([what, where, order, price, events]) => {
      const ana = await before.here.account({ credits: 500 });
      const waiting = ana.post(where, order).catch(() => 'cut');
      await ana.charged(3);
      return { what, ana, waiting, price, events, ledger: await ana.ledger() };
    }),
  );
  for (const { what, ana, price, ledger } of calls) {
    if (price !== undefined) expect(ledger.at(-1), what).toBe(`charge -${price}`);
    expect((await statuses(ana)).join(), what).toMatch(/^(queued|processing)$/);
  }

  const { here } = await before.next();
  for (const { what, ana, waiting, events, ledger } of calls) {
    const her = ana.in(here);
    expect(await waiting, what).toBe('cut');
    const [job] = await her.jobs();
    expect(job?.status, what).toBe('failed');
    expect(JSON.stringify(job)).toContain('"code":"interrupted"');
    expect(await her.ledger()).toEqual([...ledger, ledger.at(-1)?.replace('charge -', 'refund ')]);
    expect(await her.events()).toEqual(events);
    expect(await her.library()).toEqual([]);
  }
  expect((await here.invariants()).ok).toBe(true);
});

const WAITING = [
  ['/images/generations', { prompt: 'a fox [[slow:30]]', store: true }, NO_PICTURE, 'render'],
  ['/videos/generations', { prompt: 'a pier [[slow:30]]', duration: '5s' }, NO_CLIP, 'render'],
  ['/images/generations', { prompt: 'a fox at dusk' }, NO_PICTURE, 'manual'],
] as const;

it('refunds rendered images and a video exactly once if their calls waited for a time or for finishJob when the process was killed [I263 I106 I211 R005 R117]', async () => {
  const first = await start();
  await first.here.control('PUT', '/clock', { frozen: true });
  const url = `${first.here.url}/_emulator/inbox/box`;
  const calls: { ana: TestAccount; waiting: Promise<unknown>; events: readonly string[]; mode: string }[] = [];
  for (const [where, order, events, mode] of WAITING) {
    const ana = await first.here.account({ credits: 500 });
    await ana.post('/webhooks', { url, events: [...NO_PICTURE, ...NO_CLIP] });
    expect((await first.here.control('PUT', '/progression', { mode, account_id: ana.id })).status).toBe(200);
    const waiting = ana.post(where, order).catch(() => 'cut');
    await ana.charged(3);
    calls.push({ ana, waiting, events, mode });
  }
  // All three are rendered, and wait only for time or for finishJob.
  await lookUntil(() => rendered(first.folder) === WAITING.length);
  const refunded: unknown[][] = [];
  for (const { ana } of calls) {
    expect(await statuses(ana)).toEqual(['processing']);
    const ledger = await ana.ledger();
    refunded.push([...ledger, ledger.at(-1)?.replace('charge -', 'refund ')]);
  }

  const second = await first.next();
  for (const { waiting } of calls) expect(await waiting).toBe('cut');
  const expectAll = async (here: World) => {
    for (const [at, { ana, events, mode }] of calls.entries()) {
      expect((await here.control('GET', `/progression?account_id=${ana.id}`)).body).toMatchObject({ mode });
      await expectInterrupted(ana.in(here), { ledger: refunded[at] ?? [], events });
    }
  };
  await expectAll(second.here);
  await expectAll((await second.next()).here);
});

/** Expects that the only job failed as interrupted, and that nothing more comes of it later. */
async function expectInterrupted(her: TestAccount, then: { ledger: unknown[]; events: readonly string[] }) {
  await her.world.advance(60);
  const [job, ...others] = await her.jobs();
  expect(others).toEqual([]);
  expect(job).toMatchObject({ status: 'failed', error: { code: 'interrupted' } });
  expect(await her.ledger()).toEqual(then.ledger);
  expect(await her.events()).toEqual(then.events);
  expect(await her.deliveries()).toHaveLength(then.events.length);
  expect(await her.library()).toEqual([]);
  expect((await her.world.invariants()).ok).toBe(true);
}

it('gives a failing, a slow and a finished job exactly one result and one event if the process is killed [I047 I061 I062 I263 R005 R117]', async () => {
  const before = await start(3600);
  const [ana, ben, eve] = [await before.here.account(), await before.here.account(), await before.here.account()];
  const clip = { model: 'vid_max5havc', resolution: '480p' };
  const failing = await ana.post('/videos/generations', { ...clip, prompt: 'a red boat [[fail]]' });
  const slow = await ben.post('/videos/generations', { ...clip, prompt: 'a snail [[slow:600]]' });
  const hold = { match: { account_id: eve.id }, at: 'answer' };
  expect((await before.here.control('POST', '/holds', hold)).status).toBe(201);
  const waiting = eve.post('/images/generations', { prompt: 'a kite' }).catch(() => 'cut');
  await lookUntil(async () => (await statuses(eve)).includes('succeeded'));
  await lookUntil(async () => (await statuses(ben))[0] !== 'queued');
  for (const account of [ana, ben]) expect(await account.ledger()).toEqual(['grant 50', 'charge -36']);

  const { here } = await before.next();
  const [again, later, her] = [ana.in(here), ben.in(here), eve.in(here)];
  expect(await waiting).toBe('cut');
  expect(await statuses(her)).toEqual(['succeeded']);
  expect(await her.ledger()).toEqual(['grant 50', 'charge -10']);
  expect(await her.events()).toEqual(['image.generation.succeeded']);
  expect(await her.library()).toHaveLength(1);

  await here.advance(500);
  expect(await later.events()).toEqual([]);
  const { body: record } = await again.get(`/videos/generations/${failing.body.id}`);
  expect([record.status, record.error.code]).toEqual(['failed', 'render_failed']);
  expect(await again.ledger()).toEqual(['grant 50', 'charge -36', 'refund 36']);
  expect(await again.events()).toEqual(['video.generation.failed']);

  await here.advance(100);
  const { body } = await later.get(`/videos/generations/${slow.body.id}`);
  expect(body.status).toBe('succeeded');
  expect(await later.ledger()).toEqual(['grant 50', 'charge -36']);
  expect(await later.events()).toEqual(['video.generation.succeeded']);
  expect((await here.invariants()).ok).toBe(true);
});
