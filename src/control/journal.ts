import { z } from 'zod';
import { isoTime } from '../base/clock/clock.ts';
import { EmulatorError, quoted } from '../base/errors.ts';
import { grouped } from '../base/grouped.ts';
import type { JournalEntry } from '../engine/journal/journal-record.ts';
import { requestLine } from '../engine/journal/notices.ts';
import { internal, type RequestRecord, requestLineRecord, requestRecord } from '../engine/journal/request-schemas.ts';
import { deliveriesOf, type EventTrail, eventsOf } from '../engine/webhooks/trail-store.ts';
import type { Context } from '../service/http/context.ts';
import { optional } from '../service/http/input.ts';
import { operation } from '../service/http/operation.ts';
import { LongList } from '../service/http/replies.ts';
import { requireAccount } from './accounts.ts';
import { accountPageQuery, accountQuery, listAnswer, STANDARD_LIMIT } from './list-page.ts';
import { deletion } from './resource.ts';
import { judgeClient, verdictRecord } from './verdict/judge-client.ts';

/** Requests as the control surface shows them: with the events and deliveries that they led to, and of a chat the engine prompt. */
function requestViews(context: Context, entries: readonly JournalEntry[]): RequestRecord[] {
  const trails = trailsOf(context, entries);
  return entries.map((entry) => viewOf(context, entry, trails));
}

function requestView(context: Context, entry: JournalEntry): RequestRecord {
  return viewOf(context, entry, trailsOf(context, [entry]));
}

function viewOf(context: Context, entry: JournalEntry, trails: Trails): RequestRecord {
  const events = eventsIn(trails, entry);
  // The entry was read for this view: a copy of each would cost more than all the rest.
  return Object.assign(entry, {
    received_at: isoTime(entry.began),
    ...UNSEEN,
    run_id: entry.run_id ?? null,
    event_ids: events,
    delivery_ids: events.flatMap((id) => trails.deliveries.get(id)?.map((each) => each.id) ?? NONE),
    engine_prompt: promptOf(context, entry),
  });
}

const NONE: string[] = [];

/** What is no part of the view: JSON leaves it out. */
const UNSEEN: { [Name in keyof typeof internal]?: undefined } = Object.fromEntries(
  Object.keys(internal).map((name) => [name, undefined]),
);

function eventsIn({ events }: Trails, { job_ids, run_id, discarded }: JournalEntry): string[] {
  if (events.size === 0 || discarded) return NONE;
  return [...job_ids, run_id ?? ''].flatMap((of) => events.get(of)?.map(({ id }) => id) ?? NONE);
}

/** Events by job or run, and deliveries by event. */
interface Trails {
  events: Map<string, EventTrail[]>;
  deliveries: Map<string, { id: string }[]>;
}

function trailsOf({ database }: Context, entries: readonly JournalEntry[]): Trails {
  const jobIds = entries.flatMap((entry) => entry.job_ids);
  const runIds = entries.flatMap((entry) => entry.run_id ?? []);
  const events = eventsOf(database, { jobIds, runIds });
  const deliveries = deliveriesOf(
    database,
    events.map(({ id }) => id),
  );
  return {
    events: grouped(events, ({ jobId, runId }) => jobId ?? runId ?? ''),
    deliveries: grouped(deliveries, ({ eventId }) => eventId),
  };
}

/** For a chat that was answered: the engine prompt as assembled. */
function promptOf({ enginePromptOf }: Context, entry: JournalEntry) {
  const { operation: name, status, request, engine_prompt: kept } = entry;
  if (kept || name !== 'createChatCompletion' || status !== 200 || request === null) return kept;
  return enginePromptOf(request);
}

export const listRequests = operation({
  name: 'listRequests',
  method: 'GET',
  path: '/_emulator/requests',
  summary: 'Requests with their answers, charges, jobs, events and deliveries, newest first.',
  access: 'local',
  query: accountPageQuery.extend({
    status: optional(z.string().regex(/^(?:[1-5]xx|\d{1,3})$/)).describe(
      'a status, such as 402, or a class of them, such as 5xx; 0 is a connection that was reset.',
    ),
    operation: optional(z.string()).describe('an operation, such as createChatCompletion.'),
    path: optional(z.string()).describe('the beginning of a path.'),
    text: optional(z.string().min(1).max(200)).describe(
      'a text of at most 200 characters that stands in path, body or answer.',
    ),
    since: optional(z.iso.datetime({ offset: true })).describe(
      'an ISO 8601 time; requests that came then or later, by the clock of the machine.',
    ),
    brief: optional(z.enum(['true', 'false'])).describe('true: one line each, without bodies.'),
  }),
  answer: listAnswer(z.union([requestRecord, requestLineRecord])),
  async handle({ context, query }) {
    const { account_id: accountId, after, limit = STANDARD_LIMIT } = query;
    const { status, since, operation: name, path, text } = query;
    const wanted = {
      operation: name,
      path,
      text,
      status: status === undefined ? undefined : statusRange(status),
      since: since === undefined ? undefined : Date.parse(since),
    };
    const view = query.brief === 'true' ? requestLine : undefined;
    return new LongList(views(context, context.journal.search({ accountId, after, limit }, wanted), view));
  },
});

async function* views(
  context: Context,
  pieces: AsyncIterable<JournalEntry[]>,
  inBrief: typeof requestLine | undefined,
): AsyncGenerator<object[]> {
  for await (const entries of pieces) yield inBrief ? entries.map(inBrief) : requestViews(context, entries);
}

export const showRequest = operation({
  name: 'showRequest',
  method: 'GET',
  path: '/_emulator/requests/:id',
  summary: 'One request with all that it led to.',
  access: 'local',
  answer: requestRecord,
  async handle(call) {
    return requestView(call.context, await requireRequest(call.context, call.param('id')));
  },
});

export const deleteRequests = deletion({
  name: 'deleteRequests',
  path: '/_emulator/requests',
  summary: 'Empties the journal, of one account or of all.',
  query: accountQuery,
  act: ({ context, query }) => context.journal.clear(query.account_id),
});

/** How long the end of an answer may be behind its arrival at the client, in looks and milliseconds between them. */
const LOOKS = 20;
const PAUSE_MS = 5;

/** The record of a request, also where its client asks for it before what it had uploaded is cleared away. Throws `not_found`. */
export async function requireRequest({ journal, clock }: Context, id: string): Promise<JournalEntry> {
  for (let look = 0; look < LOOKS; look += 1) {
    const entry = journal.find(id);
    if (entry) return entry;
    await new Promise<void>((resolve) => void clock.after(PAUSE_MS, resolve, resolve));
  }
  throw new EmulatorError(
    'not_found',
    `There is no request ${quoted(id)} on record: it made room for newer ones, or a reset has forgotten it. GET /_emulator/requests lists those there are.`,
  );
}

function statusRange(status: string): readonly [number, number] {
  const first = Number(status.replace('xx', '00'));
  return status.endsWith('xx') ? [first, first + 99] : [first, first];
}

export const judge = operation({
  name: 'judgeClient',
  method: 'GET',
  path: '/_emulator/verdict',
  summary: 'What a client did wrong, each with the requests that show it and the remedy.',
  access: 'local',
  query: accountQuery,
  answer: verdictRecord,
  handle({ context, query }) {
    const { account_id: accountId } = query;
    if (accountId !== undefined) requireAccount(context, accountId);
    return judgeClient(context, accountId);
  },
});
