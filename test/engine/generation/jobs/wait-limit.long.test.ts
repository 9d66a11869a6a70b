import { expect, it } from 'vitest';
import { OWN_RENDERS, type TestAccount, world } from '../../../support/world.ts';

const here = await world({}, OWN_RENDERS);
const MINUTE = 60_000;
const CREDITS = 10;

/** The status of the response to an image request, which must come within a minute. */
async function imageStatus(account: TestAccount, prompt: string): Promise<number> {
  const body = JSON.stringify({ prompt, response_format: 'url' });
  const headers = { ...account.headers, 'content-type': 'application/json' };
  const signal = AbortSignal.timeout(MINUTE);
  const response = await fetch(`${here.url}/v1/images/generations`, { method: 'POST', body, headers, signal });
  await response.arrayBuffer();
  return response.status;
}

function imageStatuses(account: TestAccount, place: string, count: number): Promise<number[]> {
  return Promise.all(Array.from({ length: count }, (_, n) => imageStatus(account, `${place} ${n}`)));
}

/** How many images take 70 seconds to render, which is longer than any call waits. */
async function tooMany(): Promise<number> {
  const account = await here.account({ credits: 10_000 });
  await imageStatuses(account, 'quay', 10);
  const began = performance.now();
  await imageStatuses(account, 'pier', 100);
  return Math.ceil((100 * 70_000) / (performance.now() - began));
}

it('responds to each of many image requests within a minute, with the image or a refund [R166 I018 R005]', async () => {
  const many = await tooMany();
  const ana = await here.account({ credits: CREDITS * many });
  const statuses = await imageStatuses(ana, 'harbour', many);
  const made = statuses.filter((status) => status === 200).length;
  const refunded = statuses.filter((status) => status === 502).length;
  expect([made + refunded, made > 0, refunded > 0]).toEqual([many, true, true]);
  await here.advance(0);
  expect(await ana.balance()).toBe(CREDITS * (many - made));
  expect(await ana.events()).toHaveLength(many);
  expect(await ana.library()).toHaveLength(made);
  expect((await here.invariants()).ok).toBe(true);
});
