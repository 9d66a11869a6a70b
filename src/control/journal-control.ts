import { operation } from '../http/operation.ts';
import { NoContent } from '../http/reply.ts';
import type { JournalEntry } from '../journal/journal.ts';
import type { Subsystems } from '../subsystems.ts';
import { accountPageQuery, accountQuery, listAnswer, listOf, STANDARD_LIMIT } from './list-page.ts';

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
    const entries = emulator.journal.list({ accountId, after, limit });
    return listOf(entries.map((entry) => withPrompt(entry, emulator)));
  },
});

export const deleteRequests = operation({
  name: 'deleteRequests',
  method: 'DELETE',
  path: '/_emulator/requests',
  summary: 'Empties the journal, of one account or of all.',
  access: 'local',
  query: accountQuery,
  status: 204,
  answer: 'nothing',
  handle({ emulator, query }) {
    emulator.journal.clear(query.account_id);
    return new NoContent();
  },
});

/** For a chat that was answered: the engine prompt as assembled. */
function withPrompt(entry: JournalEntry, { retoldPrompt }: Subsystems): JournalEntry {
  const { operation: name, status, request, engine_prompt: kept } = entry;
  if (kept || name !== 'createChatCompletion' || status !== 200 || request === null) return entry;
  return { ...entry, engine_prompt: retoldPrompt(request) };
}
