import { operation } from '../http/operation.ts';
import { judgeClient, verdictRecord } from '../verdict/judge-client.ts';
import { requireAccount } from './account-control.ts';
import { accountQuery } from './list-page.ts';

export const judge = operation({
  name: 'judgeClient',
  method: 'GET',
  path: '/_emulator/verdict',
  summary: 'What a client did wrong, each with the requests that show it and the remedy.',
  access: 'local',
  query: accountQuery,
  answer: verdictRecord,
  handle({ context, query }) {
    const { account_id: accountId } = query;
    if (accountId !== undefined) requireAccount(context, accountId);
    return judgeClient(context, accountId);
  },
});
