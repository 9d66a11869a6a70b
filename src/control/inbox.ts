import type { Request, Response, Router } from 'express';
import { z } from 'zod';
import { invalidRequestError, quoted } from '../base/errors.ts';
import { optional, text } from '../base/schemas.ts';
import { eventTypesSchema } from '../engine/webhooks/event-schemas.ts';
import { INBOX_PATH, type Inboxes, inboxMessageSchema } from '../engine/webhooks/inboxes.ts';
import { readBodyBytes } from '../service/http/body.ts';
import { send } from '../service/http/send.ts';
import { defineGet, definePost } from './control-operation.ts';
import { checkReceiver, reportCardSchema } from './receiver/report-card.ts';
import { DEFAULT_PAGE_LIMIT, listSchema, pageQuerySchema, toListResponse } from './resource.ts';

const MAX_BYTES = 8 * 1_048_576;

export const INBOX_ROUTE = `${INBOX_PATH}/:name`;

const NAME = /^[A-Za-z0-9_-]{1,64}$/;

export function mountInbox(router: Router, inboxes: Inboxes): void {
  router.all(INBOX_ROUTE, async (request: Request, response: Response) => {
    const name = requireInboxName(String(request.params.name));
    const status = statusOf(request.query.status);
    const { method, originalUrl: path, headers } = request;
    const body = await readBodyBytes(request, MAX_BYTES);
    const { id } = inboxes.receive({ inbox: name, method, path, headers, body });
    await send(response, { id, inbox: name }, status);
  });
}

export function requireInboxName(name: string, param = 'name'): string {
  if (NAME.test(name)) return name;
  throw invalidRequestError(
    param,
    `The name of an inbox must be 1 to 64 letters, digits, dashes or underscores, not ${quoted(name)}.`,
  );
}

function statusOf(given: unknown): number {
  if (given === undefined) return 200;
  if (typeof given === 'string' && /^[2-5]\d\d$/.test(given)) return Number(given);
  throw invalidRequestError(
    'status',
    `status must be the status that the inbox returns, from 200 to 599, not ${JSON.stringify(given).slice(0, 80)}.`,
  );
}

const MESSAGES = `${INBOX_ROUTE}/messages`;

const listMessages = defineGet('listMessages', MESSAGES, {
  summary: 'Lists the messages that an inbox received, newest first.',
  query: pageQuerySchema.extend({
    token: optional(z.string()).describe('the control token, if the caller is on another machine.'),
  }),
  answer: listSchema(inboxMessageSchema),
  handle(call) {
    const { after, limit = DEFAULT_PAGE_LIMIT } = call.query;
    const name = requireInboxName(call.param('name'));
    return toListResponse(call.context.events.inboxes.list(name, { after, limit }));
  },
});

const verifyReceiver = definePost('verifyReceiver', '/_emulator/verify', {
  summary: 'Tests a webhook receiver with deliveries that can occur in production, and reports the result.',
  body: z.object({
    url: z.string().describe('the URL of the receiver, on this machine unless remote is true.'),
    secret: text({ min: 1, max: 200 }).describe('the signing secret of the receiver, 1 to 200 characters.'),
    events: optional(eventTypesSchema).describe('the event types that the receiver must accept (default: all).'),
    remote: optional(z.boolean()).describe('true for a receiver at a public https address.'),
    timeout_seconds: optional(z.number().min(0.5).max(30)).describe(
      'the time limit for each response, 0.5 to 30 seconds (default: 10).',
    ),
  }),
  answer: reportCardSchema,
  async handle({ context, body, gone }) {
    const { timeout_seconds: timeoutSeconds, ...order } = body;
    return checkReceiver(context, { ...order, timeoutSeconds, gone });
  },
});

export const INBOX_AND_RECEIVER_OPERATIONS = [listMessages, verifyReceiver] as const;
