import { z } from 'zod';
import { optional } from '../http/field-schemas.ts';
import { operation } from '../http/operation.ts';
import { NoContent } from '../http/reply.ts';
import { accountPageQuery, listAnswer, listOf, STANDARD_LIMIT } from './list-page.ts';

export const listRequests = operation({
  name: 'listRequests',
  method: 'GET',
  path: '/_emulator/requests',
  summary: 'Requests under /v1 with their answers, keys redacted, newest first.',
  access: 'local',
  query: accountPageQuery,
  answer: listAnswer,
  handle({ emulator, query }) {
    const { account_id: accountId, after, limit = STANDARD_LIMIT } = query;
    return listOf(emulator.journal.list({ accountId, after, limit }));
  },
});

export const deleteRequests = operation({
  name: 'deleteRequests',
  method: 'DELETE',
  path: '/_emulator/requests',
  summary: 'Empties the journal, of one account or of all.',
  access: 'local',
  query: z.object({ account_id: optional(z.string()).describe('the id of an account.') }),
  status: 204,
  answer: 'nothing',
  handle({ emulator, query }) {
    emulator.journal.clear(query.account_id);
    return new NoContent();
  },
});
