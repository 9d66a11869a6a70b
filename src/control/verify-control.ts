import { z } from 'zod';
import { optional, text } from '../http/field-schemas.ts';
import { operation } from '../http/operation.ts';
import { makeReportCard, reportCard } from '../report-card/report-card.ts';
import { eventTypes } from '../webhooks/event-types.ts';

export const verifyReceiver = operation({
  name: 'verifyReceiver',
  method: 'POST',
  path: '/_emulator/verify',
  summary: 'Sends a webhook receiver what will happen in production, and reports how it did.',
  access: 'local',
  body: z.object({
    url: z.string().describe('the URL of a receiver on this machine.'),
    secret: text({ min: 1, max: 200 }).describe('the secret that it verifies with.'),
    events: optional(eventTypes).describe('the event types it is to be ready for, by default all.'),
    remote: optional(z.boolean()).describe('true for a receiver at a public https address.'),
    timeout_seconds: optional(z.number().min(0.5).max(30)).describe(
      'what one answer may take, 0.5 to 30 seconds, by default 10.',
    ),
  }),
  answer: reportCard,
  async handle({ context, body, gone }) {
    const { timeout_seconds: timeoutSeconds, ...order } = body;
    return makeReportCard(context, { ...order, timeoutSeconds, gone });
  },
});
