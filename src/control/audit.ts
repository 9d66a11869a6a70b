import { z } from 'zod';
import { isoTime } from '../base/clock/clock.ts';
import { AUDIT_KINDS, type StoredAuditEntry } from '../engine/journal/audit-store.ts';
import { optional, text } from '../service/http/input.ts';
import { operation } from '../service/http/operation.ts';
import { requireAccount } from './accounts.ts';
import { accountPageQuery, listAnswer, listOf, positionAfter, STANDARD_LIMIT } from './list-page.ts';

/** One act on record. `at` is the machine's time and `now` the emulator's, both as ISO 8601. */
const actRecord = z.strictObject({
  id: z.string(),
  kind: z.enum(AUDIT_KINDS),
  at: z.string(),
  now: z.string(),
  account_id: z.string().nullable(),
  /** A connection that was reset has the status 0; `cut`: it was over before the answer was. */
  call: z.strictObject({ method: z.string(), path: z.string(), status: z.int(), cut: z.boolean() }).nullable(),
  /** The id of what it is about: a job, a rule, an endpoint, an object. */
  ref: z.string().nullable(),
  detail: z.strictObject({
    /** Of a write: body and answer, keys redacted, cut where they are long. */
    request: z.string().nullable().optional(),
    answer: z.string().nullable().optional(),
    /** Of a deletion: the record as it was. */
    was: z.record(z.string(), z.unknown()).optional(),
    /** Of the clock: by how many milliseconds it was moved, and whether it runs from then on. */
    moved: z.number().optional(),
    runs: z.boolean().optional(),
    /** Of a poll: the state that it saw, and its request. */
    seen: z.string().optional(),
    request_id: z.string().optional(),
    /** Of a read: the bytes that were served. Equal ones have the same `etag`. */
    file: z.strictObject({ content_type: z.string(), bytes: z.int(), etag: z.string() }).optional(),
    /** Of a note. */
    text: z.string().optional(),
  }),
});

export type ActRecord = z.infer<typeof actRecord>;

const PREFIX = 'act_';

export const createNote = operation({
  name: 'createNote',
  method: 'POST',
  path: '/_emulator/notes',
  summary: 'Puts a note on record: the trace, Live and the timelines of orders under way show it at its time.',
  access: 'local',
  body: z.strictObject({
    text: text({ min: 1, max: 2000 }).describe('a text of 1 to 2,000 characters.'),
    account_id: optional(z.string()).describe('the account that it is about; without it, it is about all.'),
  }),
  status: 201,
  answer: z.strictObject({
    text: z.string(),
    account_id: z.string().nullable(),
    /** The machine's time, and the emulator's. */
    at: z.string(),
    now: z.string(),
  }),
  handle({ context, body: { text: note, account_id: accountId } }) {
    if (accountId !== undefined) requireAccount(context, accountId);
    const { at, now } = context.audit.annotated(note, accountId ?? null);
    return { text: note, account_id: accountId ?? null, at: isoTime(at), now: isoTime(now) };
  },
});

export const listRecord = operation({
  name: 'listRecord',
  method: 'GET',
  path: '/_emulator/record',
  summary:
    'What was done to the emulator and read from it, newest first: control writes, deletions, moves of the clock, reads of files and of jobs, notes.',
  access: 'local',
  query: accountPageQuery.extend({
    kind: optional(z.enum(AUDIT_KINDS)).describe(`${AUDIT_KINDS.join(', ')}.`),
    ref: optional(z.string()).describe('the id of what it is about: a job, a rule, an endpoint, an object.'),
    since: optional(z.iso.datetime({ offset: true })).describe(
      'an ISO 8601 time; what was done then or later, by the clock of the machine.',
    ),
  }),
  answer: listAnswer(actRecord),
  handle({ context, query }) {
    const { account_id: accountId, after, limit = STANDARD_LIMIT, kind, ref, since } = query;
    const page = { accountId, limit, kind, ref, before: positionAfter(after, positionOf) };
    return listOf(
      context.audit.list({ ...page, since: since === undefined ? undefined : Date.parse(since) }).map(actView),
    );
  },
});

/** An act as the control surface shows it. */
function actView({ position, kind, at, now, accountId, call, ref, detail }: StoredAuditEntry): ActRecord {
  return {
    id: `${PREFIX}${position}`,
    kind,
    at: isoTime(at),
    now: isoTime(now),
    account_id: accountId,
    call,
    ref,
    detail,
  };
}

/** An entry that was removed since still marks its position. */
function positionOf(id: string): number | undefined {
  const digits = new RegExp(`^${PREFIX}([1-9]\\d{0,14})$`).exec(id)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
