import { z } from 'zod';
import { readLastNumberAndBalance } from '../../base/database/ledger-store.ts';
import { sumUsage } from '../../engine/ledger/usage.ts';
import { defineOperation } from '../http/operation.ts';

const WINDOW = 30 * 24 * 60 * 60 * 1000;

export const getAccount = defineOperation({
  name: 'getAccount',
  method: 'GET',
  path: '/v1/account',
  summary: 'Returns the balance of the account, and the cost of the last 30 days.',
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
      credits: readLastNumberAndBalance(database, accountId).balance,
      usage_30d: usage,
    };
  },
});

const listedModel = z.strictObject({ id: z.string(), kind: z.string(), pricing: z.string() });

export const listModels = defineOperation({
  name: 'listModels',
  method: 'GET',
  path: '/v1/models',
  summary: 'Lists every model and video engine with its price. Requires no key.',
  access: 'public',
  answer: z.strictObject({ object: z.literal('list'), data: z.array(listedModel) }),
  handle: ({ context }) => ({ object: 'list' as const, data: context.generation.catalogue.list() }),
});
