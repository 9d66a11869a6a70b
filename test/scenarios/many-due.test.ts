import { expect, it } from 'vitest';
import { type TestAccount, type World, world } from '../support/world.ts';

const here = await world({ settleAfter: 0 });
const JOBS = 160;
const CLIP = { model: 'vid_max5havc', resolution: '480p' };
const MANUAL = { mode: 'manual' };

async function orderMany(account: TestAccount, prompt: string): Promise<void> {
  const prompts = Array.from({ length: JOBS }, (_, n) => `${prompt}${n % 2 === 0 ? '' : ' [[fail]]'}`);
  const order = async () => {
    for (let next = prompts.pop(); next; next = prompts.pop()) {
      await account.post('/videos/generations', { ...CLIP, prompt: next });
    }
  };
  await Promise.all(Array.from({ length: 8 }, order));
}

const openJobs = async () => (await here.control('GET', `/jobs?status=open&limit=1000`)).body.data.length;

const WAYS: Record<string, { prepare(at: World): Promise<unknown>; prompt: string; end(at: World): Promise<unknown> }> =
  {
    'a move of the clock': {
      prepare: (at) => at.control('PUT', '/clock', { frozen: true }),
      prompt: 'a pier [[slow:60]]',
      end: (at) => at.advance(60),
    },
    'a new progression': {
      prepare: (at) => at.control('PUT', '/progression', MANUAL),
      prompt: 'a pier',
      end: (at) => at.control('PUT', '/progression', { mode: 'render' }),
    },
  };

it.each(Object.entries(WAYS))(
  'ends 160 jobs at once by %s, each once, and serves other requests meanwhile [R005 I086]',
  async (_name, way) => {
    await here.control('POST', '/reset');
    await way.prepare(here);
    const ana = await here.account({ credits: 100_000 });
    await orderMany(ana, way.prompt);
    expect(await openJobs()).toBe(JOBS);
    const ended = way.end(here);
    const seen: number[] = [];
    do seen.push(await openJobs());
    while (seen.at(-1) !== 0);
    await ended;
    // Requests were served while some of the jobs had ended and others had not.
    expect(seen.some((open) => open > 0 && open < JOBS)).toBe(true);
    const ends = (await ana.jobs()).map(({ status }) => status);
    expect([ends.filter((end) => end === 'succeeded').length, ends.filter((end) => end === 'failed').length]).toEqual([
      JOBS / 2,
      JOBS / 2,
    ]);
    expect((await ana.events()).length).toBe(JOBS);
    const ledger = await ana.ledger();
    expect(ledger.filter((entry) => entry.startsWith('refund')).length).toBe(JOBS / 2);
    expect(ledger.length).toBe(2 + JOBS + JOBS / 2);
    expect(await ana.balance()).toBe(100_000 - (JOBS / 2) * 36);
    expect(await here.invariants()).toMatchObject({ ok: true });
  },
);

it('resets while 160 jobs end, and keeps nothing of them [I085 I190]', async () => {
  await here.control('POST', '/reset');
  await here.control('PUT', '/progression', MANUAL);
  const ana = await here.account({ credits: 100_000 });
  await orderMany(ana, 'a pier');
  const released = here.control('PUT', '/progression', { mode: 'render' });
  while ((await openJobs()) === JOBS) await here.control('GET', '/health');
  expect((await here.control('POST', '/reset')).status).toBe(204);
  expect([200, 502]).toContain((await released).status);
  expect((await here.control('GET', '/jobs')).body.data).toEqual([]);
  expect((await here.control('GET', '/events')).body.data).toEqual([]);
  expect(await here.invariants()).toMatchObject({ ok: true });
});
