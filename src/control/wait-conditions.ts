import { EmulatorError, invalid, quoted } from '../base/errors.ts';
import { isOver } from '../engine/flows/run.ts';
import { findRun } from '../engine/flows/run-store.ts';
import { whyOpen } from '../engine/generation/job-record.ts';
import { isFinal } from '../engine/jobs/job.ts';
import { findJob } from '../engine/jobs/job-store.ts';
import type { Notice } from '../engine/journal/notices.ts';
import { isGenuine } from '../engine/webhooks/delivery-fault.ts';
import { type EventQueries, matchingDeliveries, matchingEvents } from '../engine/webhooks/event-queries.ts';
import { EVENT_TYPES, type EventType } from '../engine/webhooks/event-schemas.ts';
import type { Context } from '../service/http/context.ts';
import { requireInboxName } from './inbox.ts';
import { jobView } from './jobs.ts';
import { wholeRunView } from './runs.ts';

/** What a wait names beside its kind. */
export interface Wanted {
  /** The text after the colon. */
  name: string;
  accountId: string | undefined;
  after: string | undefined;
  /** Of deliveries and messages only genuine ones. */
  genuine: boolean;
}

/** A condition to wait for. Checking it changes nothing: no job is settled, no poll counted. */
export interface Condition {
  /** Whether a notice may have made it true. */
  concerns(notice: Notice): boolean;
  /** The record that the answer shows; undefined as long as the condition does not hold. */
  look(notice?: Notice): object | undefined;
  /** The present state, for the message of a timeout. */
  instead(): string;
}

export function jobEnd(context: Context, wanted: Wanted): Condition {
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

export function runEnd(context: Context, wanted: Wanted): Condition {
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

export function eventOf(context: Context, wanted: Wanted): Condition {
  const typed = { ...wanted, type: requireType(wanted.name, 'event') };
  return published('event', typed, {
    ...matchingEvents(context.database, typed),
    instead() {
      const [newest] = context.webhooks.listEvents({ ...page(wanted), limit: 1 });
      return newest ? `the newest event is ${newest.id}, ${newest.type}` : 'there is no event';
    },
  });
}

export function deliveryOf(context: Context, wanted: Wanted): Condition {
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
export function messageIn({ inbox }: Context, { name, after, genuine }: Wanted): Condition {
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
  throw new EmulatorError('not_found', `${owner} no ${what} ${quoted(name)}. GET /_emulator/${what}s lists them.`);
}
