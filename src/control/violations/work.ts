import { findJob, findSiblingTake } from '../../engine/jobs/job-store.ts';
import { entryIdOf, entryUrl } from '../../engine/library/library-store.ts';
import {
  type Actor,
  type Answer,
  actOnBody,
  type EventDetails,
  type EventEnvelope,
  isJson,
  type Json,
  type RequestDetails,
  withoutFields,
} from './violation.ts';

const FINAL = ['completed', 'result_url', 'content_type', 'library_id', 'duration', 'error'];

function onRead(change: (job: Json, request: RequestDetails) => Json | undefined): Actor {
  return actOnBody((job, request) => (isRead(request) ? change(job, request) : undefined));
}

function isRead({ operation }: RequestDetails): boolean {
  return operation === 'getSong' || operation === 'getVideo';
}

function unfinished(job: Json): Json {
  return { ...withoutFields(job, FINAL), status: 'processing' };
}

/** The second read of a finished job shows it in progress again. */
function backAtWork(job: Json, { memory }: RequestDetails): Json | undefined {
  if (job.status !== 'succeeded') return undefined;
  const id = String(job.id);
  const reads = (memory.get(id) ?? 0) + 1;
  memory.set(id, reads);
  return reads === 2 ? unfinished(job) : undefined;
}

const notFound: Actor = {
  answer(answer, request) {
    if (answer.status !== 200 || !isRead(request) || !isJson(answer.body)) return undefined;
    const message = `This account has no job "${String(answer.body.id)}".`;
    const error = { code: 'not_found', message, type: 'not_found_error', param: null };
    return { ...answer, status: 404, body: { error } };
  },
};

function onTakes(change: (jobs: readonly Json[], body: Json, answer: Answer) => Partial<Answer>): Actor {
  return {
    answer(answer, { operation }) {
      const { body, status } = answer;
      if (operation !== 'createSong' || status !== 202 || !isJson(body)) return undefined;
      const jobs = body.data as Json[];
      return jobs.length === 2 ? { ...answer, ...change(jobs, body, answer) } : undefined;
    },
  };
}

const finished: Actor = {
  answer(answer, { operation, baseUrl, db, now }) {
    const { body, status } = answer;
    if (operation !== 'createSong' || status !== 202 || !isJson(body)) return undefined;
    const { created, model, usage } = body;
    const file = { contentType: 'audio/mpeg', object: null };
    const data = (body.data as Json[]).map(({ id }) => ({
      url: baseUrl + entryUrl(db, { id: entryIdOf(String(id)), ...file }, now),
      content_type: file.contentType,
    }));
    return { ...answer, status: 200, body: { created, model, data, usage } };
  },
};

function firstSeed(value: Json): Json | undefined {
  return value.take === 2 && typeof value.seed === 'number' ? { ...value, seed: value.seed - 1 } : undefined;
}

const sameSeed: Actor = {
  ...actOnBody((body) => {
    if (!Array.isArray(body.data)) return firstSeed(body);
    const data = body.data.map((job) => (isJson(job) ? (firstSeed(job) ?? job) : job));
    return data.some((job, at) => job !== (body.data as unknown[])[at]) ? { ...body, data } : undefined;
  }),
  event(envelope) {
    const data = firstSeed(envelope.data);
    return data && { ...envelope, data };
  },
};

const PAGE = 20;

const cutList = actOnBody((body, { operation, query }) => {
  const data = body.data;
  if (operation !== 'listObjects' || !Array.isArray(data) || data.length <= PAGE) return undefined;
  return Number(query.limit ?? PAGE + 1) <= PAGE ? undefined : { ...body, data: data.slice(0, PAGE) };
});

function onEvent(change: (envelope: EventEnvelope, details: EventDetails) => EventEnvelope | undefined): Actor {
  return { event: change };
}

const FAILED = '.failed';
const SUCCEEDED = '.succeeded';

function asOther(
  envelope: EventEnvelope,
  { db, jobId }: EventDetails,
  change: (other: { id: string; take: number | null; seed: number | null }) => Json,
) {
  const job = jobId === null ? undefined : findJob(db, jobId);
  const other = job && findSiblingTake(db, job);
  return other && { ...envelope, data: { ...envelope.data, ...change(other) } };
}

export const WORK: Readonly<Record<string, Actor>> = {
  'event.none': { event: () => 'none' },
  'event.failed_as_done': onEvent((envelope) => {
    if (!envelope.type.endsWith(FAILED)) return undefined;
    const type = envelope.type.replace(FAILED, SUCCEEDED);
    return { ...envelope, type, data: withoutFields(envelope.data, ['error', 'failure']) };
  }),
  'event.done_as_failed': onEvent((envelope) => {
    if (!envelope.type.endsWith(SUCCEEDED)) return undefined;
    const type = envelope.type.replace(SUCCEEDED, FAILED);
    const error = { code: 'render_failed', message: 'The render failed and its charge was refunded.' };
    return {
      ...envelope,
      type,
      data: { ...withoutFields(envelope.data, ['content_type', 'result_url', 'library_id']), error },
    };
  }),
  'event.other_job': onEvent((envelope, details) => asOther(envelope, details, ({ id }) => ({ id }))),
  'event.takes_swapped': onEvent((envelope, details) =>
    asOther(envelope, details, ({ take, seed }) => ({ take, seed })),
  ),
  'event.no_error': onEvent((envelope) =>
    isJson(envelope.data.error) ? { ...envelope, data: withoutFields(envelope.data, ['error']) } : undefined,
  ),
  'job.for_ever': onRead((job) => (job.completed === undefined ? undefined : unfinished(job))),
  'job.no_url': onRead((job) => (job.status === 'succeeded' ? withoutFields(job, ['result_url']) : undefined)),
  'job.new_status': onRead((job) => (job.status === 'failed' ? { ...job, status: 'cancelled' } : undefined)),
  'job.back': onRead(backAtWork),
  'job.404': notFound,
  '202.one_job': onTakes((jobs, body) => ({ body: { ...body, data: jobs.slice(0, 1) } })),
  '202.swapped': onTakes((jobs, body) => ({ body: { ...body, data: jobs.toReversed() } })),
  '202.as_200': finished,
  'seed.same': sameSeed,
  'list.cut': cutList,
  'run.no_outputs': onEvent((envelope) =>
    envelope.type === 'flow.run.succeeded' ? { ...envelope, data: { ...envelope.data, outputs: [] } } : undefined,
  ),
};
