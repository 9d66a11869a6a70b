import { z } from 'zod';
import { DELIVERY_FAULTS, deliveryFaultDefinition } from '../delivery-fault-table.ts';
import { JOB_PACES, type JobPace } from '../request-faults.ts';
import { defineEffect, errorCodeSchema, isFailedByDirective } from './effect-definition.ts';

/** Fails the work of a request. With `match.take`, fails only that take of a song. */
export const failJobEffect = defineEffect({
  fields: { fail_job: errorCodeSchema() },
  layer: 'outcome',
  domain: 'paid operations',
  reaches: ({ paid }) => paid !== undefined,
  acts: (request) => request.directives.status === undefined && !isFailedByDirective(request),
  changes: ({ fail_job }) => ({ job: { fail: fail_job } }),
  words: ({ fail_job }) => `Fails the work with ${fail_job}`,
  form: {
    text: 'Fail the work',
    shape: 'flat',
    fields: [{ name: 'fail_job', label: 'Code', type: 'code', note: 'It is refunded.', value: 'render_failed' }],
  },
  // A preset each for images, videos and songs, because a rule for all paid operations would also fail chats.
  presets: [
    ['image', '/v1/images'],
    ['video', '/v1/videos'],
    ['song', '/v1/music'],
  ].map(([kind, path = '']) => ({
    text: `The next ${kind} fails`,
    note: `The job of the next ${kind} fails at its work, and is refunded`,
    match: { path },
    effect: { fail_job: 'render_failed' },
    times: 1,
  })),
});

/** The effect of each pace: when a job ends or appears to end [I237]. */
const PACES: Record<JobPace, string> = {
  instant: 'Ends the job, its event delivered, before the response',
  late: 'Ends the job at its fourth read, or after 3 s',
  late_end: 'Ends the job once it has not been read for 3 s, or after 8 s',
  unpolled: 'Shows the job as processing until its event was delivered',
};

export const jobPaceEffect = defineEffect({
  fields: { job: z.enum(JOB_PACES).describe(`one of ${JOB_PACES.join(', ')}.`) },
  layer: 'pace',
  domain: 'videos and songs, whose jobs are polled,',
  reaches: ({ paid, destination }) =>
    destination === 'service' && (paid === 'video.generation' || paid === 'music.generation'),
  changes: ({ job }) => ({ job: { pace: job } }),
  words: ({ job }) => PACES[job],
  form: {
    text: 'Change when a job ends',
    shape: 'flat',
    fields: [{ name: 'job', label: 'How', type: 'options', options: Object.entries(PACES), value: 'instant' }],
  },
  presets: [
    {
      text: 'Webhook first',
      note: 'The next job is final, and its event delivered, before the response to its order',
      match: {},
      effect: { job: 'instant' },
      times: 1,
    },
  ],
});

/**
 * Applies a fault to the deliveries of each event of a matching request, or with `match.nth` only of the nth event
 * [I142 I196 I237].
 */
export const webhookEffect = defineEffect({
  fields: { webhook: z.enum(DELIVERY_FAULTS).describe(`one of ${DELIVERY_FAULTS.join(', ')}.`) },
  layer: 'event',
  domain: 'images, videos, songs and runs, whose end is announced,',
  reaches: ({ announces }) => announces,
  changes: ({ webhook }) => ({ job: { webhook } }),
  words: ({ webhook }) => deliveryFaultDefinition(webhook).words,
  form: {
    text: 'Spoil a webhook',
    shape: 'flat',
    fields: [
      {
        name: 'webhook',
        label: 'How',
        type: 'options',
        options: DELIVERY_FAULTS.map((name) => [name, deliveryFaultDefinition(name).words] as const),
        value: 'duplicate',
      },
    ],
  },
  presets: [
    {
      text: 'Webhooks twice',
      note: 'Every delivery arrives twice, until the rule is removed',
      match: {},
      effect: { webhook: 'duplicate' },
      times: 0,
    },
  ],
});
