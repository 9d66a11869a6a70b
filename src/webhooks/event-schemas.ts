import { z } from 'zod';
import { EVENT_TYPES } from './event-types.ts';

/** More than there are: a type may stand there twice. */
const MOST_TYPES = 100;

/** Which events an endpoint is to hear of. */
export const eventTypes = z.array(z.enum(EVENT_TYPES)).min(1).max(MOST_TYPES);

const seconds = z.int().describe('unix seconds.');
const moment = z.string().describe('ISO 8601, UTC.');

const failure = z.strictObject({ code: z.string(), message: z.string() });

/** What every render's event tells of it; of a song also which take it is. */
const started = { id: z.string(), model: z.string() };
const take = { take: z.int(), seed: z.int() };
const finished = {
  content_type: z.string(),
  result_url: z.string().describe('signed, good for 7 days.'),
  library_id: z.string(),
};

const output = z.strictObject({
  step: z.int().describe('counted from 1.'),
  nodeId: z.string(),
  type: z.string(),
  kind: z.enum(['text', 'image', 'video', 'audio', 'post']),
  text: z.string().optional(),
  url: z.string().optional().describe('signed, good for 7 days.'),
  creationId: z.string().optional(),
});

const flowRun = {
  flow: z.strictObject({ id: z.string(), name: z.string() }),
  run: z.strictObject({
    id: z.string(),
    status: z.enum(['running', 'waiting', 'done', 'failed']),
    source: z.enum(['webhook', 'manual']),
    credits: z.int().describe('what the run cost, net of refunds.'),
    startedAt: moment,
    finishedAt: moment.nullable(),
    inputs: z.record(z.string(), z.unknown()),
  }),
  outputs: z.array(output),
};

const step = { step: z.int(), nodeId: z.string(), type: z.string() };
const runFailure = z.strictObject({ ...step, message: z.string() });
const runWaiting = z.strictObject({
  ...step,
  postId: z.string(),
  text: z.string(),
  url: z.string().optional(),
});

function event<Type extends string, Data extends z.ZodRawShape>(type: Type, data: Data) {
  return z.strictObject({
    id: z.string(),
    type: z.literal(type),
    created: seconds,
    data: z.strictObject(data),
  });
}

/** Every event that a webhook endpoint can hear of, told apart by its `type`. */
export const eventSchema = z.discriminatedUnion('type', [
  event('image.generation.succeeded', { ...started, ...finished }),
  event('image.generation.failed', { ...started, error: failure }),
  event('video.generation.succeeded', { ...started, ...finished }),
  event('video.generation.failed', { ...started, error: failure }),
  event('music.generation.succeeded', { ...started, ...take, ...finished }),
  event('music.generation.failed', { ...started, ...take, error: failure }),
  event('flow.run.succeeded', flowRun),
  event('flow.run.failed', { ...flowRun, failure: runFailure }),
  event('flow.run.waiting', { ...flowRun, waiting: runWaiting }),
]);

export type ServiceEvent = z.output<typeof eventSchema>;
