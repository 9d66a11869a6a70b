import { expect, it } from 'vitest';
import { charge, refund } from '../../src/ledger/ledger.ts';
import { summarizeUsage } from '../../src/ledger/usage.ts';
import { openDatabase } from '../support/open-database.ts';

const MODELS = ['svc-rp-mini', 'svc-rp-plus', null] as const;

it('sums up six thousand charges as if they were one stretch, and lets others go on between', async () => {
  const { database, random, accounts } = openDatabase();
  const { account } = await accounts.open({ credits: 100_000 });
  const accountId = account.id;
  const refunded: number[] = [];
  await database.transact((tx) => {
    for (let n = 0; n < 6000; n += 1) {
      const model = MODELS[n % 3] ?? null;
      const order = { accountId, amount: 1 + (n % 3), operation: 'chat.completion', jobId: null };
      const { n: paid } = charge(tx, random, { ...order, model });
      if (n % 1000 === 0) refunded.push(paid);
    }
    // They stand in another stretch than most of their charges.
    for (const n of refunded) refund(tx, random, { accountId, n });
  });
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const rows = await summarizeUsage(database, accountId, 0);
  isOver = true;
  expect(turns).toBeGreaterThanOrEqual(3);
  const row = (model: string | null, price: number, refunds: number) => ({
    ...{ operation: 'chat.completion', model, charges: 2000, charged: 2000 * price },
    ...{ refunds, refunded: refunds * price },
  });
  expect(rows).toEqual([row(null, 3, 2), row('svc-rp-plus', 2, 2), row('svc-rp-mini', 1, 2)]);
});
