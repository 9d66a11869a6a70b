import { expect, it } from 'vitest';
import { world } from '../../support/world.ts';

const here = await world();
const MINUTE = 60_000;

it('answers each of many clips within a minute, with the clip or with a refund, and nothing between [R166 I018 R005]', async () => {
  const ana = await here.account({ credits: 100_000 });
  const calls = Array.from({ length: 150 }, async (_, n) => {
    const body = JSON.stringify({ prompt: `harbour ${n}`, duration: '10s' });
    const headers = { ...ana.headers, 'content-type': 'application/json' };
    const signal = AbortSignal.timeout(MINUTE);
    const url = `${here.url}/v1/videos/generations`;
    const answer = await fetch(url, { method: 'POST', body, headers, signal });
    await answer.arrayBuffer();
    return answer.status;
  });
  const statuses = await Promise.all(calls);
  const clips = statuses.filter((status) => status === 200).length;
  const refunded = statuses.filter((status) => status === 502).length;
  expect([clips + refunded, clips > 0, refunded > 0]).toEqual([150, true, true]);
  await here.advance(0);
  expect(await ana.balance()).toBe(100_000 - 180 * clips);
  expect(await ana.events()).toHaveLength(150);
  expect(await ana.library()).toHaveLength(clips);
  expect((await here.invariants()).ok).toBe(true);
});
