import { z } from 'zod';
import { isoTime } from '../base/clock/clock.ts';
import { EmulatorError, quoted } from '../base/errors.ts';
import { optional, text } from '../base/schemas.ts';
import { groupBy } from '../base/text.ts';
import { AUDIT_KINDS, type StoredAuditEntry } from '../engine/journal/audit-store.ts';
import type { JournalEntry } from '../engine/journal/journal-record.ts';
import { summarizeRequest } from '../engine/journal/live-feed.ts';
import {
  internalRequestFields,
  type RequestRecord,
  requestRecordSchema,
  requestSummarySchema,
} from '../engine/journal/request-schemas.ts';
import { findDeliveryIdsByEvent, findEventOrigins } from '../engine/webhooks/webhook-list-store.ts';
import { promptMessagesOfChatBody } from '../service/api/chat.ts';
import type { Context } from '../service/http/context.ts';
import { LongListReply } from '../service/http/replies.ts';
import { accounts } from './accounts.ts';
import { defineGet, definePost } from './control-operation.ts';
import { accountPageQuerySchema, accountQuerySchema, DEFAULT_PAGE_LIMIT, listSchema, Resource } from './resource.ts';
import { statusRangeOf } from './search/search-query.ts';
import { judgeClient, verdictSchema } from './verdict/judge-client.ts';

export function requestViews({ database }: Context, entries: readonly JournalEntry[]): RequestRecord[] {
  const jobIds = entries.flatMap((entry) => entry.job_ids);
  const runIds = entries.flatMap((entry) => entry.run_id ?? []);
  const found = findEventOrigins(database, { jobIds, runIds });
  const events = groupBy(found, ({ jobId, runId }) => jobId ?? runId ?? '');
  const eventIds = found.map(({ id }) => id);
  const deliveries = groupBy(findDeliveryIdsByEvent(database, eventIds), ({ eventId }) => eventId);
  return entries.map((entry) => {
    const event_ids = [...entry.job_ids, entry.run_id ?? ''].flatMap((of) => events.get(of)?.map(({ id }) => id) ?? []);
    // Changes the entry, because copying each one would be slow.
    return Object.assign(entry, {
      received_at: isoTime(entry.began),
      ...UNSEEN,
      run_id: entry.run_id ?? null,
      event_ids,
      delivery_ids: event_ids.flatMap((id) => deliveries.get(id)?.map((each) => each.id) ?? []),
      engine_prompt: promptOf(entry),
    });
  });
}

const UNSEEN: { [Name in keyof typeof internalRequestFields]?: undefined } = Object.fromEntries(
  Object.keys(internalRequestFields).map((name) => [name, undefined]),
);

function promptOf(entry: JournalEntry) {
  const { operation: name, status, request, engine_prompt: kept } = entry;
  if (kept || name !== 'createChatCompletion' || status !== 200 || request === null) return kept;
  return promptMessagesOfChatBody(request);
}

const listRequests = defineGet('listRequests', '/_emulator/requests', {
  summary: 'Lists requests with their responses, charges, jobs, events and deliveries, newest first.',
  query: accountPageQuerySchema.extend({
    status: optional(z.string().regex(/^(?:[1-5]xx|\d{1,3})$/)).describe(
      'a status such as 402, or a class such as 5xx; 0 means that the connection was reset.',
    ),
    operation: optional(z.string()).describe('the name of an operation, such as createChatCompletion.'),
    path: optional(z.string()).describe('a path prefix, such as /v1/images.'),
    text: optional(z.string().min(1).max(200)).describe(
      'a text in the path, the request body or the response body, at most 200 characters.',
    ),
    since: optional(z.iso.datetime({ offset: true })).describe(
      "an ISO 8601 time by the machine's clock; earlier requests are omitted.",
    ),
    brief: optional(z.enum(['true', 'false'])).describe('true for short records without bodies.'),
  }),
  answer: listSchema(z.union([requestRecordSchema, requestSummarySchema])),
  async handle({ context, query }) {
    const { account_id: accountId, after, limit = DEFAULT_PAGE_LIMIT, brief, status, since, ...texts } = query;
    const wanted = {
      ...texts,
      status: status === undefined ? undefined : statusRangeOf(status),
      since: since === undefined ? undefined : Date.parse(since),
    };
    const pieces = context.records.journal.search({ accountId, after, limit }, wanted);
    return new LongListReply(views(context, pieces, brief === 'true'));
  },
});

async function* views(context: Context, pieces: AsyncIterable<JournalEntry[]>, isBrief: boolean) {
  for await (const entries of pieces) yield isBrief ? entries.map(summarizeRequest) : requestViews(context, entries);
}

const showRequest = defineGet('showRequest', '/_emulator/requests/:id', {
  summary: 'Shows a request with all its results.',
  answer: requestRecordSchema,
  async handle(call) {
    const [view] = requestViews(call.context, [await requireJournalRequest(call.context, call.param('id'))]);
    return view as RequestRecord;
  },
});

const LOOKS = 20;
const PAUSE_MS = 5;

/**
 * Waits about 100 ms at most for the record, because it may be written after the response. Throws `not_found` if there
 * is none.
 */
export async function requireJournalRequest(
  { records: { journal }, clock }: Context,
  id: string,
): Promise<JournalEntry> {
  for (let look = 0; look < LOOKS; look += 1) {
    const entry = journal.find(id);
    if (entry) return entry;
    await new Promise<void>((resolve) => void clock.after(PAUSE_MS, resolve, resolve));
  }
  throw new EmulatorError(
    'not_found',
    `There is no request ${quoted(id)} in the journal: newer requests or a reset removed it. GET /_emulator/requests lists the others.`,
  );
}

const judge = defineGet('judgeClient', '/_emulator/verdict', {
  summary: 'Lists the mistakes of a client, each with its requests and its fix.',
  query: accountQuerySchema,
  answer: verdictSchema,
  handle({ context, query }) {
    const { account_id: accountId } = query;
    if (accountId !== undefined) accounts.require(context, accountId);
    return judgeClient(context, accountId);
  },
});

/** `at` is the machine's time and `now` the emulator's, both as ISO 8601. */
const actRecord = z.strictObject({
  id: z.string(),
  kind: z.enum(AUDIT_KINDS),
  at: z.string(),
  now: z.string(),
  account_id: z.string().nullable(),
  /**
   * `status` is 0 if the connection was reset. `cut` is true if the connection ended before the response was complete.
   */
  call: z.strictObject({ method: z.string(), path: z.string(), status: z.int(), cut: z.boolean() }).nullable(),
  ref: z.string().nullable(),
  detail: z.strictObject({
    request: z.string().nullable().optional(),
    answer: z.string().nullable().optional(),
    was: z.record(z.string(), z.unknown()).optional(),
    /** `moved` is how far the clock was moved, in milliseconds; `runs` is false if the clock is frozen afterwards. */
    moved: z.number().optional(),
    runs: z.boolean().optional(),
    seen: z.string().optional(),
    request_id: z.string().optional(),
    file: z.strictObject({ content_type: z.string(), bytes: z.int(), etag: z.string() }).optional(),
    text: z.string().optional(),
  }),
});

type RecordedAct = StoredAuditEntry & { id: string };

const PREFIX = 'act_';

const createNote = definePost('createNote', '/_emulator/notes', {
  summary: 'Records a note for traces and timelines.',
  body: z.strictObject({
    text: text({ min: 1, max: 2000 }).describe('the text of the note, 1 to 2,000 characters.'),
    account_id: optional(z.string()).describe('the id of the account that the note is about (default: all accounts).'),
  }),
  status: 201,
  answer: z.strictObject({
    text: z.string(),
    account_id: z.string().nullable(),
    at: z.string(),
    now: z.string(),
  }),
  handle({ context, body: { text: note, account_id: accountId } }) {
    if (accountId !== undefined) accounts.require(context, accountId);
    const { at, now } = context.records.audit.annotated(note, accountId ?? null);
    return { text: note, account_id: accountId ?? null, at: isoTime(at), now: isoTime(now) };
  },
});

const record = new Resource({
  what: 'record',
  path: '/_emulator/record',
  record: actRecord,
  view:
    () =>
    ({ id, kind, at, now, accountId, call, ref, detail }: RecordedAct) => {
      return { id, kind, at: isoTime(at), now: isoTime(now), account_id: accountId, call, ref, detail };
    },
});

export const listRecord = record.list({
  name: 'listRecord',
  summary: 'Lists recorded changes, reads and notes, newest first.',
  query: accountPageQuerySchema.extend({
    kind: optional(z.enum(AUDIT_KINDS)).describe(`one of ${AUDIT_KINDS.join(', ')}.`),
    ref: optional(z.string()).describe('the id of the job, rule, endpoint or object that was changed or read.'),
    since: optional(z.iso.datetime({ offset: true })).describe(
      "an ISO 8601 time by the machine's clock; earlier records are omitted.",
    ),
  }),
  positionOf: (_, id) => positionOf(id),
  rows({ records: { audit } }, { since, ...page }) {
    const acts = audit.list({ ...page, since: since === undefined ? undefined : Date.parse(since) });
    return acts.map((act) => ({ ...act, id: `${PREFIX}${act.position}` }));
  },
});

/** The id contains the position, so the position is known even if the entry was removed. */
function positionOf(id: string): number | undefined {
  const digits = new RegExp(`^${PREFIX}([1-9]\\d{0,14})$`).exec(id)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

export const JOURNAL_AND_AUDIT_OPERATIONS = [listRequests, showRequest, judge, listRecord, createNote] as const;
