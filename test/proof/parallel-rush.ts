import { expect } from 'vitest';
import { numbers } from '../scenarios/mixed-load.ts';
import { CHAT } from '../support/wire.ts';
import type { World } from '../support/world.ts';

const RUSH = 200;
const PRICES = [1, 3, 10, 6] as const;
const SONG = { style: 'slow piano', instrumental: true, seconds: 30, n: 2, seed: 7 };

/** Sends 200 requests at once to a balance that covers only some. The sum must be right, and nobody is served for free. */
export async function rush(here: World, seed: number): Promise<{ count: number }> {
  const random = numbers(seed);
  const credits = 20 + (random.next().value % 160);
  const account = await here.account({ credits });
  const kinds = seed % 2 === 0 ? 1 : PRICES.length;
  const orders = Array.from({ length: RUSH }, () => random.next().value % kinds);
  const answers = await Promise.all(
    orders.map(async (kind) => {
      if (kind === 2) return account.post('/images/generations', { prompt: 'a pier' });
      if (kind === 3) return account.post('/music/generations', SONG);
      return account.post('/chat/completions', { ...CHAT, model: kind === 0 ? 'svc-rp-mini' : 'svc-rp-plus' });
    }),
  );
  const served = orders.filter((_, n) => (answers[n]?.status ?? 500) < 300);
  // On a busy machine an image may take longer than a call stays open; it is then refunded.
  for (const { status } of answers) expect([200, 202, 402, 502]).toContain(status);
  const spent = served.reduce((sum, kind) => sum + (PRICES[kind] ?? 0), 0);
  await here.advance(0);
  expect(await account.balance()).toBe(credits - spent);
  // More of the cheapest requests were sent than the balance covers, so nothing is left of it.
  if (kinds === 1) expect(served).toHaveLength(credits);
  const left = answers.filter(({ status }) => status < 300).map(({ body }) => body.usage.credits_remaining);
  expect(new Set(left).size).toBe(left.length);
  const money = (await account.entries()).reduce((sum, { amount }) => sum + amount, 0);
  expect(money).toBe(credits - spent);
  expect(await here.invariants()).toMatchObject({ ok: true });
  return { count: RUSH };
}
