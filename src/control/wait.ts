import { z } from 'zod';
import { isoTime, within } from '../clock/clock.ts';
import { EmulatorError, invalid } from '../errors.ts';
import { isOver } from '../flows/run.ts';
import { findRun } from '../flows/run-store.ts';
import { shownRecord } from '../generation/job-record.ts';
import type { Context } from '../http/context.ts';
import { withReason } from '../http/field-list.ts';
import { optional } from '../http/field-schemas.ts';
import { operation } from '../http/operation.ts';
import { isFinal, type Job } from '../jobs/job.ts';
import { countOpenJobs } from '../jobs/job-list-store.ts';
import { findJob } from '../jobs/job-store.ts';
import { readinessOf, readProgression } from '../jobs/progression-store.ts';
import type { Notice, Notices } from '../journal/notices.ts';
import { isGenuine } from '../webhooks/delivery-fault.ts';
import { type EventQueries, matchingDeliveries, matchingEvents } from '../webhooks/event-queries.ts';
import { EVENT_TYPES, type EventType } from '../webhooks/event-schemas.ts';
import { requireAccount } from './accounts.ts';
import { requireInboxName } from './inbox.ts';
import { jobView } from './jobs.ts';
import { wholeRunView } from './runs.ts';

const STANDARD_SECONDS = 10;
const MOST_SECONDS = 600;
/** The kinds that `after` applies to. */
const SEQUENCES = ['event', 'delivery', 'inbox'];
/** The kinds that `genuine` applies to. */
const SIGNED = ['delivery', 'inbox'];

export const waitFor = operation({
  name: 'waitFor',
  method: 'GET',
  path: '/_emulator/wait',
  summary: 'Answers the moment something is so, at once when it already is; 408 when it is not in time.',
  access: 'local',
  alias: { field: 'for', name: 'until' },
  query: z.object({
    for: z.string().describe('job:ID, run:ID, event:TYPE, delivery:TYPE, inbox:NAME or idle.'),
    timeout: optional(z.coerce.number().min(0).max(MOST_SECONDS)).describe(
      `a number of seconds of real time from 0 to ${MOST_SECONDS}, by default ${STANDARD_SECONDS}.`,
    ),
    account_id: optional(z.string()).describe('the id of an account.'),
    after: optional(z.string()).describe(
      'the id of the event, delivery or message after which what is waited for comes.',
    ),
    genuine: optional(z.enum(['true', 'false'])).describe(
      'true: only a delivery or message with a signature that verifies; by default any.',
    ),
  }),
  answer: z.object({ for: z.string() }).catchall(z.unknown()),
  async handle(call) {
    const { context, query, gone } = call;
    const { timeout = STANDARD_SECONDS, account_id: accountId, after } = query;
    const { kind, name } = parse(query.for);
    if (accountId !== undefined) requireAccount(context, accountId);
    if (after !== undefined && !SEQUENCES.includes(kind)) call.warn(withReason('after', `for=${kind}`));
    if (query.genuine !== undefined && !SIGNED.includes(kind)) call.warn(withReason('genuine', `for=${kind}`));
    const conditionOf = CONDITIONS[kind];
    if (!conditionOf) throw unknownKind(query.for);
    const condition = conditionOf(context, { name, accountId, after, genuine: query.genuine === 'true' });
    const bounds = { milliseconds: timeout * 1000, gone };
    const found = await within(context.clock, bounds, (signal) => whenMet(context.notices, condition, signal));
    if (found) return { for: query.for, ...found };
    throw new EmulatorError('timeout', `${query.for} was not so within ${timeout} s: ${condition.instead()}.`);
  },
});

/** Without polling: the condition is checked at the beginning, and after each notice that may have changed it. */
function whenMet(notices: Notices, condition: Condition, signal: AbortSignal): Promise<object> {
  return notices.until(
    (notice) => (notice && !condition.concerns(notice) ? undefined : condition.look(notice)),
    signal,
  );
}

function parse(text: string): { kind: string; name: string } {
  const colon = text.indexOf(':');
  const kind = colon === -1 ? text : text.slice(0, colon);
  const name = colon === -1 ? '' : text.slice(colon + 1);
  const isNamed = name !== '';
  if (!Object.hasOwn(CONDITIONS, kind) || isNamed === (kind === 'idle')) throw unknownKind(text);
  return { kind, name };
}

function unknownKind(text: string): EmulatorError {
  return invalid(
    'for',
    `for must be job:ID, run:ID, event:TYPE, delivery:TYPE, inbox:NAME or idle; got "${text.slice(0, 80)}".`,
  );
}

/** What a wait names beside its kind. */
interface Wanted {
  /** The text after the colon. */
  name: string;
  accountId: string | undefined;
  after: string | undefined;
  /** Of deliveries and messages only genuine ones. */
  genuine: boolean;
}

/** A condition to wait for. Checking it changes nothing: no job is settled, no poll counted. */
interface Condition {
  /** Whether a notice may have made it true. */
  concerns(notice: Notice): boolean;
  /** The record that the answer shows; undefined as long as the condition does not hold. */
  look(notice?: Notice): object | undefined;
  /** The present state, for the message of a timeout. */
  instead(): string;
}

/** The conditions by the word before the colon. Each throws when it can never hold. */
const CONDITIONS: Record<string, (context: Context, wanted: Wanted) => Condition> = {
  job: jobEnd,
  run: runEnd,
  event: eventOf,
  delivery: deliveryOf,
  inbox: messageIn,
  idle,
};

function jobEnd(context: Context, wanted: Wanted): Condition {
  const { database } = context;
  const find = () => requireOwn('job', findJob(database, wanted.name), wanted);
  const { id } = find();
  return {
    concerns: (notice) => notice.kind === 'job' && notice.id === id,
    look() {
      const job = find();
      return isFinal(job.status) ? jobView(context, job) : undefined;
    },
    instead: () => whyOpen(context, find()),
  };
}

function runEnd(context: Context, wanted: Wanted): Condition {
  const find = () => requireOwn('run', findRun(context.database, wanted.name), wanted);
  const { id } = find();
  return {
    concerns: (notice) => notice.kind === 'run' && notice.id === id,
    look() {
      return isOver(find().status) ? wholeRunView(context.flows.view(id)) : undefined;
    },
    instead() {
      const { status, step } = find();
      return `the run is ${status} at step ${step}`;
    },
  };
}

function eventOf(context: Context, wanted: Wanted): Condition {
  const typed = { ...wanted, type: requireType(wanted.name, 'event') };
  return published('event', typed, {
    ...matchingEvents(context.database, typed),
    instead() {
      const [newest] = context.webhooks.listEvents({ ...page(wanted), limit: 1 });
      return newest ? `the newest event is ${newest.id}, ${newest.type}` : 'there is no event';
    },
  });
}

function deliveryOf(context: Context, wanted: Wanted): Condition {
  const typed = { ...wanted, type: requireType(wanted.name, 'delivery') };
  return published('delivery', typed, {
    ...matchingDeliveries(context.database, typed),
    instead() {
      const [newest] = context.webhooks.listDeliveries({ ...page(wanted), limit: 1 });
      return newest
        ? `the newest delivery is ${newest.id}, ${newest.type}, ${newest.status}${wanted.genuine && !isGenuine(newest) ? notGenuine(newest.fault) : ''}`
        : 'there is no delivery; one is made for each endpoint that is subscribed to the event';
    },
  });
}

/** Why a wait for what is genuine passes over the newest. */
function notGenuine(reason: string | null): string {
  return ` and not genuine (${reason}); genuine=false takes it too`;
}

/** The first message of an inbox after the one that `after` names; an inbox belongs to no account. */
function messageIn({ inbox }: Context, { name, after, genuine }: Wanted): Condition {
  requireInboxName(name, 'for');
  const seen = after === undefined ? 0 : inbox.numberOf(name, after);
  return {
    concerns: (notice) => notice.kind === 'message',
    look: () => inbox.next(name, seen, { genuine }),
    instead() {
      const [newest] = inbox.list(name, { limit: 1 });
      if (!newest) return 'the inbox is empty';
      const { id, signature } = newest;
      return `the newest message is ${id}${genuine && !signature.verified ? notGenuine(signature.reason) : ''}`;
    },
  };
}

/** Notices after which nothing is less busy than before. */
const WITHOUT_WORK = ['event', 'message'];

function idle(context: Context, { accountId }: Wanted): Condition {
  const isOwn = (notice: Notice) => accountId === undefined || notice.accountId === accountId;
  return {
    concerns: (notice) => !WITHOUT_WORK.includes(notice.kind) && isOwn(notice),
    look: () => (busyWith(context, accountId).length === 0 ? { idle: true } : undefined),
    instead: () => `there still is ${busyWith(context, accountId).join(' and ')}`,
  };
}

/** An event or a delivery of one type. */
function published(
  kind: 'event' | 'delivery',
  { type, accountId }: { type: EventType; accountId: string | undefined },
  found: EventQueries<object> & Pick<Condition, 'instead'>,
): Condition {
  return {
    concerns: (notice) =>
      notice.kind === kind && notice.type === type && (accountId === undefined || notice.accountId === accountId),
    look(notice) {
      return notice ? found.matching(notice.id) : found.first();
    },
    instead: found.instead,
  };
}

function page({ accountId }: Wanted): { accountId?: string } {
  return accountId === undefined ? {} : { accountId };
}

function requireType(name: string, kind: string): EventType {
  const type = EVENT_TYPES.find((each) => each === name);
  if (type) return type;
  throw invalid('for', `for=${kind}:${name.slice(0, 80)} names no event type. There are: ${EVENT_TYPES.join(', ')}.`);
}

/** Throws `not_found` for a job or run that does not exist, or belongs to another account than the one asked for. */
function requireOwn<Row extends { accountId: string }>(
  what: 'job' | 'run',
  row: Row | undefined,
  { name, accountId }: Wanted,
): Row {
  if (row && (accountId === undefined || row.accountId === accountId)) return row;
  const owner = accountId === undefined ? 'There is' : `The account ${accountId} has`;
  throw new EmulatorError(
    'not_found',
    `${owner} no ${what} "${name.slice(0, 80)}". GET /_emulator/${what}s lists them.`,
  );
}

/** Why a job is not final yet, and what would make it so. */
function whyOpen(context: Context, job: Job): string {
  const { status } = shownRecord(context, job);
  return `the job is ${status}; ${obstacleOf(context, job)}`;
}

function obstacleOf({ database, clock }: Context, job: Job): string {
  const { at, polls } = readinessOf(job, readProgression(database, job.accountId));
  if (at === Number.POSITIVE_INFINITY) {
    return `its progression is manual, so that only POST /_emulator/jobs/${job.id}/finish ends it`;
  }
  if (at > clock.now()) {
    const how = clock.frozen ? 'stands at' : 'shows';
    return `it is due at ${isoTime(at)} and the emulator's clock ${how} ${isoTime(clock.now())}: POST /_emulator/clock/advance`;
  }
  if (polls > job.polls) return `it has been polled ${job.polls} of ${polls} times under /v1`;
  return job.outcome ? 'it is rendered and about to be settled' : 'it is being rendered';
}

/** What keeps the emulator, or one account, from being idle. */
const WORK: readonly {
  one: string;
  many: string;
  count(context: Context, accountId: string | undefined): number;
}[] = [
  { one: 'open job', many: 'open jobs', count: ({ database }, accountId) => countOpenJobs(database, accountId) },
  { one: 'running run', many: 'running runs', count: ({ flows }, accountId) => flows.running(accountId) },
  {
    one: 'held request or answer',
    many: 'held requests and answers',
    count: ({ faults }, accountId) => faults.holds.pending(accountId),
  },
  {
    one: 'delivery due or in flight',
    many: 'deliveries due or in flight',
    count: ({ webhooks }, accountId) => webhooks.pending(accountId),
  },
];

/** The work that is left, such as `2 open jobs`; empty when all is idle. */
function busyWith(context: Context, accountId: string | undefined): string[] {
  return WORK.flatMap(({ one, many, count }) => {
    const n = count(context, accountId);
    return n === 0 ? [] : [`${n} ${n === 1 ? one : many}`];
  });
}
