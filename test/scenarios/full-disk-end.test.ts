import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { startEmulator } from '../../src/emulator.ts';
import { openJobs } from '../../src/jobs/job-store.ts';
import { type BoundedWorld, boundedWorld } from '../support/full-disk.ts';
import { lookUntil } from '../support/look-until.ts';
import { expectError } from '../support/wire.ts';
import { ephemeral, TestAccount, World } from '../support/world.ts';

/** Its recipe is longer than what is left of any page. */
const PROMPT = 'a pier in the rain, '.repeat(110);
const PICTURE = 10;

/** A picture whose end the disk does not take: it was full before the render was there. */
async function refusedPicture({ fill }: BoundedWorld, account: TestAccount): Promise<void> {
  const sent = account.post('/images/generations', { prompt: PROMPT });
  await account.charged();
  await fill();
  expectError(await sent, 507, 'storage_full');
}

/** One charge, given back once, and one event of it; the balance is the sum. */
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

it('answers 507 to a call whose end a full disk does not take, refunds it once there is room, and serves the next [I170 R166]', async () => {
  const bounded = await boundedWorld(ephemeral());
  const account = await bounded.here.account({ credits: 1000 });
  const credits = await account.balance();
  await refusedPicture(bounded, account);
  expect((await account.ledger()).at(-1)).toBe(`charge -${PICTURE}`);
  await bounded.free();
  await final(account);
  await expectRefunded(account, credits);
  expect((await account.post('/images/generations', { prompt: PROMPT })).status).toBe(200);
  expect(await account.balance()).toBe(credits - PICTURE);
});

it('answers 507 to a slow call whose render was there before the disk was full, and refunds it [I170 R166]', async () => {
  const bounded = await boundedWorld(ephemeral());
  const { here } = bounded;
  const account = await here.account({ credits: 1000 });
  const credits = await account.balance();
  await here.control('PUT', '/clock', { frozen: true });
  const sent = account.post('/images/generations', { prompt: `${PROMPT} [[slow:60]]` });
  await account.charged();
  await lookUntil(async () => openJobs(bounded.database).every(({ outcome }) => outcome !== null));
  await bounded.fill();
  const advanced = here.advance(60);
  expectError(await sent, 507, 'storage_full');
  await bounded.free();
  await advanced;
  await final(account);
  await expectRefunded(account, credits);
});

/** A slow picture whose render is there, and whose end comes when the disk is full. */
async function refusedSlowPicture(bounded: BoundedWorld, account: TestAccount): Promise<void> {
  const { here } = bounded;
  await here.control('PUT', '/clock', { frozen: true });
  const sent = account.post('/images/generations', { prompt: `${PROMPT} [[slow:60]]` });
  await account.charged();
  await lookUntil(async () => openJobs(bounded.database).every(({ outcome }) => outcome !== null));
  await bounded.fill();
  const advanced = here.advance(60).catch(() => undefined);
  expectError(await sent, 507, 'storage_full');
  void advanced;
}

it.each([
  ['a picture', refusedPicture],
  ['a slow picture', refusedSlowPicture],
])(
  'refunds at the next start %s that a full disk did not let it refund, and only then [I170 I211]',
  async (_what, order) => {
    const dataDir = mkdtempSync(path.join(tmpdir(), 'full-disk-'));
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
    const config = readConfig({ port: 0, dataDir, log: 'silent', warm: false }, {});
    const bounded = await boundedWorld(config);
    const account = await bounded.here.account({ credits: 1000 });
    const credits = await account.balance();
    await order(bounded, account);
    expect((await account.ledger()).at(-1)).toBe(`charge -${PICTURE}`);
    await bounded.close();
    for (const _start of ['the next', 'the one after it']) {
      const emulator = await startEmulator(config);
      const again = new TestAccount(new World(emulator), {
        id: account.id,
        workspace_id: account.workspaceId,
        api_key: account.key,
      });
      try {
        await final(again);
        await expectRefunded(again, credits);
      } finally {
        await emulator.close();
      }
    }
  },
);
