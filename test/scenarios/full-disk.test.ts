import { expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../src/base/config/config.ts';
import { startEmulator } from '../../src/emulator.ts';
import { listOpenJobs } from '../../src/engine/jobs/job-store.ts';
import { emptyFolder } from '../cli/spawned-program.ts';
import { type BoundedWorld, boundedWorld } from '../support/full-disk.ts';
import { lookUntil } from '../support/look-until.ts';
import { CHAT, expectError, fileForm } from '../support/wire.ts';
import { ephemeral, type TestAccount, World } from '../support/world.ts';

const bounded = await boundedWorld(ephemeral());
const { here } = bounded;

it.each<[string, () => unknown, number]>([
  ['/chat/completions', () => CHAT, 1],
  ['/storage/objects', fileForm, 2],
])(
  'charges nothing for a request to %s that a full disk prevents, and serves requests again after the disk has space [I170]',
  async (path, body, credits) => {
    const account = await here.account({ credits: 10_000 });
    onTestFinished(() => bounded.free());
    await bounded.bound();
    // The existing pages still have some room, which is used up first.
    let answer = await account.post(path, body());
    let served = 0;
    for (; answer.status === 200; served += 1) answer = await account.post(path, body());
    expectError(answer, 507, 'storage_full');
    const paid = Array.from({ length: served }, () => `charge -${credits}`);
    expect((await account.ledger()).slice(2)).toEqual(paid);
    await bounded.free();
    expect((await account.post(path, body())).status).toBe(200);
    expect(await account.balance()).toBe(10_000 - credits * (served + 1));
    expect(await here.invariants()).toMatchObject({ ok: true });
  },
);

/** A prompt whose record is longer than the free part of any page. */
const PROMPT = 'a pier in the rain, '.repeat(110);
const PICTURE = 10;

/** Orders a picture whose end cannot be written, because the disk was full before the render was ready. */
async function refusedPicture({ fill, holdRenders }: BoundedWorld, account: TestAccount): Promise<void> {
  const release = holdRenders();
  const sent = account.post('/images/generations', { prompt: PROMPT });
  await account.charged();
  await fill();
  release();
  expectError(await sent, 507, 'storage_full');
}

/** One charge with one refund and one event. The balance equals the sum of the entries. */
async function expectRefunded(account: TestAccount, credits: number): Promise<void> {
  const { world: here } = account;
  const entries = await account.entries();
  expect(entries.slice(-2)).toMatchObject([
    { type: 'charge', amount: -PICTURE },
    { type: 'refund', amount: PICTURE },
  ]);
  expect(entries.filter(({ type }) => type === 'refund')).toHaveLength(1);
  expect(entries.reduce((sum, { amount }) => sum + amount, 0)).toBe(credits);
  expect(await account.balance()).toBe(credits);
  expect(await account.jobs()).toMatchObject([{ status: 'failed' }]);
  const { body } = await here.control('GET', `/events?account_id=${account.id}`);
  expect(body.data.map(({ type }: { type: string }) => type)).toEqual(['image.generation.failed']);
  expect(await here.invariants()).toMatchObject({ ok: true });
}

async function final(account: TestAccount): Promise<void> {
  const [job] = await account.jobs();
  await account.world.wait(`job:${job?.id}`);
}

/** Orders a slow picture that is rendered before the disk is full, and ends while it is full. */
async function refusedSlowPicture(bounded: BoundedWorld, account: TestAccount): Promise<void> {
  const { here } = bounded;
  await here.control('PUT', '/clock', { frozen: true });
  const sent = account.post('/images/generations', { prompt: `${PROMPT} [[slow:60]]` });
  await account.charged();
  await lookUntil(async () => listOpenJobs(bounded.database).every(({ outcome }) => outcome !== null));
  await bounded.fill();
  const advanced = here.advance(60).catch(() => undefined);
  expectError(await sent, 507, 'storage_full');
  void advanced;
}

it('keeps the render of a video job that was due while the disk was full, and ends the job after there is space [I170]', async () => {
  const { here, database, fill, free } = await boundedWorld(ephemeral());
  await here.control('PUT', '/clock', { frozen: true });
  const account = await here.account({ credits: 1000 });
  const clip = { model: 'vid_max5havc', prompt: `${'boat '.repeat(1900)}[[slow:60]]`, resolution: '480p' };
  expect((await account.post('/videos/generations', clip)).status).toBe(202);
  await lookUntil(() => listOpenJobs(database).every(({ outcome }) => outcome !== null));
  await fill();
  const advanced = here.advance(60).catch(() => undefined);
  expect(await account.jobs()).not.toMatchObject([{ status: 'succeeded' }]);
  await free();
  await advanced;
  await final(account);
  expect(await account.jobs()).toMatchObject([{ status: 'succeeded' }]);
  expect(await account.library()).toHaveLength(1);
  expect((await account.ledger()).slice(2)).toEqual(['charge -36']);
});

const REFUSED = [
  ['an image', refusedPicture],
  ['a slow image', refusedSlowPicture],
] as const;

it.each(REFUSED)(
  'returns 507 for %s whose result a full disk prevents, and after there is space refunds it and serves the next one [I170]',
  async (_what, order) => {
    const bounded = await boundedWorld(ephemeral());
    const account = await bounded.here.account({ credits: 1000 });
    const credits = await account.balance();
    await order(bounded, account);
    expect((await account.ledger()).at(-1)).toBe(`charge -${PICTURE}`);
    await bounded.free();
    await final(account);
    await expectRefunded(account, credits);
    await bounded.here.control('PUT', '/clock', { frozen: false });
    expect((await account.post('/images/generations', { prompt: PROMPT })).status).toBe(200);
    expect(await account.balance()).toBe(credits - PICTURE);
  },
);

it.each(REFUSED)(
  'refunds %s at the next start if a full disk prevented the refund [I170 I211]',
  async (_what, order) => {
    const dataDir = emptyFolder();
    const config = readConfig({ port: 0, dataDir, log: 'silent', warm: false }, {});
    const bounded = await boundedWorld(config);
    const account = await bounded.here.account({ credits: 1000 });
    const credits = await account.balance();
    await order(bounded, account);
    expect((await account.ledger()).at(-1)).toBe(`charge -${PICTURE}`);
    await bounded.close();
    for (const _start of ['the next', 'the one after it']) {
      const emulator = await startEmulator(config);
      const again = account.in(new World(emulator));
      try {
        await final(again);
        await expectRefunded(again, credits);
      } finally {
        await emulator.close();
      }
    }
  },
);
