import { z } from 'zod';
import { optional } from '../http/field-schemas.ts';
import { operation } from '../http/operation.ts';
import { NoContent } from '../http/reply.ts';
import { heldInbox, INBOX_PATH, message } from '../webhooks/inbox.ts';
import { listAnswer, listOf, pageQuery, STANDARD_LIMIT } from './list-page.ts';
import { INBOX_ROUTE, requireInboxName } from './mount-inbox.ts';

const MESSAGES = `${INBOX_ROUTE}/messages`;

/** The doors of an inbox take the control token from its URL too. */
const tokenQuery = z.object({ token: optional(z.string()).describe('the control token, beyond loopback.') });

export const listInboxes = operation({
  name: 'listInboxes',
  method: 'GET',
  path: INBOX_PATH,
  summary: 'The inboxes that hold messages, by name.',
  access: 'local',
  answer: listAnswer(heldInbox),
  handle: ({ context }) => listOf(context.inbox.held()),
});

export const listMessages = operation({
  name: 'listMessages',
  method: 'GET',
  path: MESSAGES,
  summary: 'What an inbox was sent, newest first.',
  access: 'local',
  query: pageQuery.extend(tokenQuery.shape),
  answer: listAnswer(message),
  handle(call) {
    const { after, limit = STANDARD_LIMIT } = call.query;
    const name = requireInboxName(call.param('name'));
    return listOf(call.context.inbox.list(name, { after, limit }));
  },
});

export const deleteMessages = operation({
  name: 'deleteMessages',
  method: 'DELETE',
  path: MESSAGES,
  summary: 'Empties an inbox.',
  access: 'local',
  query: tokenQuery,
  status: 204,
  answer: 'nothing',
  handle(call) {
    call.context.inbox.clear(requireInboxName(call.param('name')));
    return new NoContent();
  },
});
