import { z } from 'zod';
import { readTail } from '../../../engine/ledger/ledger-store.ts';
import { sumUsage } from '../../../engine/ledger/usage.ts';
import { operation } from '../../http/operation.ts';

/** 30 days in milliseconds. */
const WINDOW = 30 * 24 * 60 * 60 * 1000;

export const getAccount = operation({
  name: 'getAccount',
  method: 'GET',
  path: '/v1/account',
  summary: "The caller's balance, and what the last 30 days cost.",
  access: 'key',
  answer: z.strictObject({
    object: z.literal('account'),
    credits: z.int(),
    usage_30d: z.strictObject({ requests: z.int(), credits: z.int() }),
  }),
  async handle({ context, caller }) {
    const { database, clock } = context;
    const { accountId } = caller;
    const usage = await sumUsage(database, accountId, clock.now() - WINDOW);
    return {
      object: 'account' as const,
      credits: readTail(database, accountId).balance,
      usage_30d: usage,
    };
  },
});
