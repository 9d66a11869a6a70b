import { z } from 'zod';
import { operation } from '../../http/operation.ts';
import { readTail, sumUsage } from '../../ledger/ledger-store.ts';

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
  handle({ emulator, caller }) {
    const { database, clock } = emulator;
    const { accountId } = caller;
    return {
      object: 'account' as const,
      credits: readTail(database, accountId).balance,
      usage_30d: sumUsage(database, accountId, clock.now() - WINDOW),
    };
  },
});
