import { z } from 'zod';
import { operation } from '../http/operation.ts';
import { accountPageQuery, listAnswer, listOf, STANDARD_LIMIT } from './list-page.ts';

export const listAllEvents = operation({
  name: 'listEvents',
  method: 'GET',
  path: '/_emulator/events',
  summary: 'Every event, subscribed to or not, newest first.',
  access: 'local',
  query: accountPageQuery,
  answer: listAnswer,
  handle({ emulator, query }) {
    const { account_id: accountId, after, limit = STANDARD_LIMIT } = query;
    return listOf(emulator.webhooks.listEvents({ accountId, after, limit }));
  },
});

export const listAllDeliveries = operation({
  name: 'listDeliveries',
  method: 'GET',
  path: '/_emulator/deliveries',
  summary: 'What was sent to whom and what came back, newest first.',
  access: 'local',
  query: accountPageQuery,
  answer: listAnswer,
  handle({ emulator, query }) {
    const { account_id: accountId, after, limit = STANDARD_LIMIT } = query;
    return listOf(emulator.webhooks.listDeliveries({ accountId, after, limit }));
  },
});

export const redeliver = operation({
  name: 'redeliver',
  method: 'POST',
  path: '/_emulator/deliveries/:id/redeliver',
  summary: 'Sends the same id and bytes once more, under a new signature time.',
  access: 'local',
  status: 202,
  answer: z.looseObject({ id: z.string() }),
  handle: (call) => call.emulator.webhooks.redeliver(call.param('id')) as Promise<never>,
});
