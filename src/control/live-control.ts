import { z } from 'zod';
import { optional } from '../http/field-schemas.ts';
import { operation } from '../http/operation.ts';
import { tokenCookie } from '../http/origin-check.ts';
import { Broadcast, NoContent } from '../http/reply.ts';

export const streamLive = operation({
  name: 'streamLive',
  method: 'GET',
  path: '/_emulator/live',
  summary: 'What happens, as server-sent events: at most ten messages a second.',
  access: 'local',
  ungated: true,
  query: z.object({
    after: optional(z.string().max(100)).describe('the id of the last message that came; Last-Event-ID does the same.'),
  }),
  answer: 'text/event-stream',
  handle(call) {
    const { live } = call.context;
    const after = call.requestHeader('last-event-id') ?? call.query.after;
    return new Broadcast((sink) => live.join(sink, after));
  },
});

export const openSession = operation({
  name: 'openSession',
  method: 'POST',
  path: '/_emulator/session',
  summary: 'Keeps the control token of this request in a cookie, for a browser.',
  access: 'local',
  ungated: true,
  status: 204,
  answer: 'nothing',
  handle(call) {
    const token = /^Bearer (.+)$/.exec(call.requestHeader('authorization') ?? '')?.[1];
    if (token !== undefined) call.header('set-cookie', tokenCookie(token, call.baseUrl));
    return new NoContent();
  },
});
