import { expect, it } from 'vitest';
import { type TestAccount, world } from '../../../support/world.ts';

const here = await world();
const MINUTE = 60_000;

/** The status that a clip is answered with, within a minute. */
async function clip(account: TestAccount, prompt: string): Promise<number> {
  const body = JSON.stringify({ prompt, duration: '10s' });
  const headers = { ...account.headers, 'content-type': 'application/json' };
  const signal = AbortSignal.timeout(MINUTE);
  const answer = await fetch(`${here.url}/v1/videos/generations`, { method: 'POST', body, headers, signal });
  await answer.arrayBuffer();
  return answer.status;
}

function clips(account: TestAccount, place: string, count: number): Promise<number[]> {
  return Promise.all(Array.from({ length: count }, (_, n) => clip(account, `${place} ${n}`)));
}

/** How many clips are made in seventy seconds, which is more than any call waits. */
async function tooMany(): Promise<number> {
  const account = await here.account({ credits: 100_000 });
  await clips(account, 'quay', 10);
  const began = performance.now();
  await clips(account, 'pier', 50);
  return Math.ceil((50 * 70_000) / (performance.now() - began));
}

it('responds to each of many videos within a minute, with the video or a refund [R166 I018 R005]', async () => {
  const many = await tooMany();
  const ana = await here.account({ credits: 200 * many });
  const statuses = await clips(ana, 'harbour', many);
  const made = statuses.filter((status) => status === 200).length;
  const refunded = statuses.filter((status) => status === 502).length;
  expect([made + refunded, made > 0, refunded > 0]).toEqual([many, true, true]);
  await here.advance(0);
  expect(await ana.balance()).toBe(200 * many - 180 * made);
  expect(await ana.events()).toHaveLength(many);
  expect(await ana.library()).toHaveLength(made);
  expect((await here.invariants()).ok).toBe(true);
});
