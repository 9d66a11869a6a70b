import { expect } from 'vitest';
import { expectJobsFinal } from '../scenarios/held-promises.ts';
import { engineM, numbers } from '../scenarios/mixed-load.ts';
import type { TestAccount, World } from '../support/world.ts';

const DAY = 86_400;

/** Orders jobs while the clock is set, advanced, frozen and released. Each job must end once, paid or refunded. */
export async function moveClockWildly(here: World, seed: number, moves = 25): Promise<{ count: number }> {
  const random = numbers(seed);
  const below = (limit: number) => random.next().value % limit;
  const account = await here.account({ plan: 'studio', credits: 100_000 });
  const engine = await engineM(here);
  const asked: Promise<unknown>[] = [];
  for (let n = 0; n < moves; n += 1) {
    asked.push(order(account, { engine, below }));
    await move(here, account, below);
  }
  await here.control('PUT', '/progression', { mode: null, account_id: account.id });
  for (let n = 0; n < 3; n += 1) await advanceFar(here);
  await Promise.all(asked);
  await advanceFar(here);
  const [jobs, entries] = [await account.jobs(), await account.entries()];
  expectJobsFinal(jobs as never, entries);
  const told = (await account.envelopes()).map(({ data }) => data.id);
  expect(told.toSorted()).toEqual(jobs.map(({ id }) => id).toSorted());
  expect((await account.get('/account')).body.usage_30d).toEqual({ requests: 0, credits: 0 });
  expect(await here.invariants()).toMatchObject({ ok: true });
  await here.control('PUT', '/clock', { frozen: false });
  return { count: moves };
}

type Below = (limit: number) => number;

function order(account: TestAccount, { engine, below }: { engine: string; below: Below }): Promise<unknown> {
  const fate = ['', `[[slow:${1 + below(10 * DAY)}]]`, '[[fail]]', `[[slow:${1 + below(90)}]] [[fail]]`][below(4)];
  const prompt = `a pier ${below(3)} ${fate}`;
  const kind = below(3);
  if (kind === 0) return account.post('/images/generations', { prompt });
  if (kind === 1) return account.post('/music/generations', { style: prompt, instrumental: true, seconds: 30 });
  return account.post('/videos/generations', { model: engine, seconds: 4, resolution: '480p', prompt });
}

async function move(here: World, account: TestAccount, below: Below): Promise<void> {
  const days = below(60) - 20;
  const at = new Date(Date.UTC(2030, 0, 1) + days * DAY * 1000 + below(DAY) * 1000).toISOString();
  const acts = [
    () => here.control('PUT', '/clock', { now: at }),
    () => here.control('PUT', '/clock', { frozen: below(2) === 0 }),
    () => here.control('POST', '/clock/advance', { seconds: below(3 * DAY) }),
    () => here.control('POST', '/clock/advance', { seconds: below(20) / 10 }),
    () => here.control('PUT', '/progression', { mode: 'seconds', value: below(900), account_id: account.id }),
    () => here.control('PUT', '/progression', { mode: null, account_id: account.id }),
    () => account.get('/account'),
  ];
  const { status } = (await acts[below(acts.length)]?.()) ?? { status: 0 };
  expect(status).toBeLessThan(300);
}

async function advanceFar(here: World): Promise<void> {
  const { status, body } = await here.control('POST', '/clock/advance', { seconds: 400 * DAY });
  expect([status, body.error]).toEqual([200, undefined]);
}
