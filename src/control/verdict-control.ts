import { z } from 'zod';
import { operation } from '../http/operation.ts';
import { judgeClient } from '../verdict/judge-client.ts';
import { requireAccount } from './account-control.ts';
import { accountQuery } from './list-page.ts';

export const judge = operation({
  name: 'judgeClient',
  method: 'GET',
  path: '/_emulator/verdict',
  summary: 'What a client did wrong, each with the requests that show it and the remedy.',
  access: 'local',
  query: accountQuery,
  answer: z.strictObject({
    ok: z.boolean(),
    account_id: z.string().nullable(),
    requests: z.int(),
    findings: z.array(
      z.strictObject({
        finding: z.string(),
        account_id: z.string(),
        message: z.string(),
        remedy: z.string(),
        request_ids: z.array(z.string()),
        delivery_ids: z.array(z.string()),
      }),
    ),
  }),
  handle({ emulator, query }) {
    const { account_id: accountId } = query;
    if (accountId !== undefined) requireAccount(emulator, accountId);
    return judgeClient(emulator, accountId);
  },
});
