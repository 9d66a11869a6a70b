import { z } from 'zod';

const seconds = z.int().describe('a Unix time in seconds.');
const moment = z.string().describe('an ISO 8601 time in UTC.');

const TYPES = [
  'image.generation.succeeded',
  'image.generation.failed',
  'video.generation.succeeded',
  'video.generation.failed',
  'music.generation.succeeded',
  'music.generation.failed',
  'flow.run.succeeded',
  'flow.run.failed',
  'flow.run.waiting',
] as const;

export type ServiceEventType = (typeof TYPES)[number];

export const EVENT_TYPES: readonly ServiceEventType[] = TYPES;

type ObjectMaker<Config extends z.core.$ZodObjectConfig> = <Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
) => z.ZodObject<z.core.util.Writeable<Shape>, Config>;

const started = { id: z.string(), model: z.string() };
const take = { take: z.int(), seed: z.int() };
const finished = {
  content_type: z.string(),
  result_url: z.string().describe('a signed URL, valid for 7 days.'),
  library_id: z.string(),
};

const step = { step: z.int(), nodeId: z.string(), type: z.string() };

function eventsOf<Config extends z.core.$ZodObjectConfig>(object: ObjectMaker<Config>) {
  const failed = { error: object({ code: z.string(), message: z.string() }) };
  const output = object({
    step: z.int().describe('the number of the step, from 1.'),
    nodeId: z.string(),
    type: z.string(),
    kind: z.enum(['text', 'image', 'video', 'audio', 'post']),
    text: z.string().optional(),
    url: z.string().optional().describe('a signed URL, valid for 7 days.'),
    creationId: z.string().optional(),
  });
  const run = object({
    id: z.string(),
    status: z.enum(['running', 'waiting', 'done', 'failed']),
    source: z.enum(['webhook', 'manual']),
    credits: z.int().describe('the cost of the run in credits, after refunds.'),
    startedAt: moment,
    finishedAt: moment.nullable(),
    inputs: z.record(z.string(), z.unknown()),
  });
  const flowRun = { flow: object({ id: z.string(), name: z.string() }), run, outputs: z.array(output) };
  const failure = object({ ...step, message: z.string() });
  const waiting = object({ ...step, postId: z.string(), text: z.string().optional(), url: z.string().optional() });
  const event = <Type extends ServiceEventType, Data extends z.core.$ZodLooseShape>(type: Type, data: Data) =>
    object({ id: z.string(), type: z.literal(type), created: seconds, data: object(data) });
  return [
    event('image.generation.succeeded', { ...started, ...finished }),
    event('image.generation.failed', { ...started, ...failed }),
    event('video.generation.succeeded', { ...started, ...finished }),
    event('video.generation.failed', { ...started, ...failed }),
    event('music.generation.succeeded', { ...started, ...take, ...finished }),
    event('music.generation.failed', { ...started, ...take, ...failed }),
    event('flow.run.succeeded', flowRun),
    event('flow.run.failed', { ...flowRun, failure }),
    event('flow.run.waiting', { ...flowRun, waiting }),
  ] as const;
}

/** Lazy, because building the schemas would slow down every start. */
export const sentEventSchema = z.lazy(() => z.discriminatedUnion('type', eventsOf(z.strictObject)));

const known = z.lazy(() => z.discriminatedUnion('type', eventsOf(z.looseObject)));

/**
 * An event, discriminated by `type`. `eventSchema` also accepts events of types newer than this package: give your
 * `switch` a default and respond 2xx.
 */
export type ServiceEvent = z.output<typeof known>;

const envelopeOfAny = z.looseObject({
  id: z.string(),
  type: z.string(),
  created: seconds,
  data: z.record(z.string(), z.unknown()),
});

/**
 * The schema for receivers. It checks the fields of known types. Unknown fields and types pass, because the service may
 * add some at any time.
 */
export const eventSchema: z.ZodType<ServiceEvent> = envelopeOfAny.transform((event, context) => {
  // TypeScript has no type for "any string but these", and `string` would break the discrimination by `type`.
  if (!isEventType(event.type)) return event as unknown as ServiceEvent;
  const read = known.safeParse(event);
  if (read.success) return read.data;
  for (const { path, message } of read.error.issues) context.addIssue({ code: 'custom', path, message });
  return z.NEVER;
});

/** The longest list of types that an endpoint may give. There are fewer types, but duplicates are allowed. */
const MAX_TYPES = 100;

export const eventTypesSchema = z.array(z.enum(EVENT_TYPES)).min(1).max(MAX_TYPES);

/** `created` is in unix seconds of the emulator's clock. */
export const envelopeSchema = z.strictObject({
  id: z.string(),
  type: z.enum(EVENT_TYPES),
  created: z.int(),
  data: z.record(z.string(), z.unknown()),
});

export type Envelope = z.infer<typeof envelopeSchema>;

export function isEventType(name: string): name is ServiceEventType {
  return EVENT_TYPES.some((type) => type === name);
}

export function isFlowEvent(type: ServiceEventType): boolean {
  return type.startsWith('flow.run.');
}
