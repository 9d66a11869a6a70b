import { EmulatorError, invalid } from '../errors.ts';
import { isOver, type Run } from '../flows/run.ts';
import { findRun } from '../flows/run-store.ts';
import type { Context } from '../http/context.ts';
import { isFinal, type Job } from '../jobs/job.ts';
import { findJob } from '../jobs/job-store.ts';
import type { Notice } from '../journal/notices.ts';
import { isGenuine } from '../webhooks/delivery-fault.ts';
import { type EventQueries, matchingDeliveries, matchingEvents } from '../webhooks/event-queries.ts';
import { EVENT_TYPES, type EventType } from '../webhooks/event-types.ts';
import { busyWith } from './busy-report.ts';
import { jobView } from './job-control.ts';
import { requireInboxName } from './mount-inbox.ts';
import { wholeRunView } from './run-control.ts';
import { whyOpen } from './why-open.ts';

/** What a wait names beside its kind. */
export interface Wanted {
  /** What stands after the colon. */
  name: string;
  accountId: string | undefined;
  after: string | undefined;
  /** Of deliveries and messages only genuine ones. */
  genuine: boolean;
}

/** Something that one can wait for. Looking touches nothing: no job is settled, no poll counted. */
export interface Waitable {
  /** Whether a notice may have made it so. */
  concerns(notice: Notice): boolean;
  /** The record that the answer shows; undefined as long as it is not so. */
  look(notice?: Notice): object | undefined;
  /** What there is instead, for whoever waited in vain. */
  instead(): string;
}

/** After what nothing is less busy than before. */
const UNTROUBLING = ['event', 'message'];

/** By what it is told how things stand. */
export type WaitParts = Context;

/** What can be waited for, by the word before the colon. Each throws when it can never be so. */
export const WAITABLES: Record<string, (context: WaitParts, wanted: Wanted) => Waitable> = {
  job: jobEnd,
  run: runEnd,
  event: eventOf,
  delivery: deliveryOf,
  inbox: messageIn,
  idle,
};

function jobEnd(context: Context, { name: id, accountId }: Wanted): Waitable {
  const { database } = context;
  const find = () => requireJob(findJob(database, id), { id, accountId });
  find();
  return {
    concerns: (notice) => notice.kind === 'job' && notice.id === id,
    look() {
      const job = find();
      return isFinal(job.status) ? jobView(context, job) : undefined;
    },
    instead: () => whyOpen(context, find()),
  };
}

function runEnd(context: Context, { name: id, accountId }: Wanted): Waitable {
  const find = () => requireRun(findRun(context.database, id), { id, accountId });
  find();
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

function eventOf(context: Context, wanted: Wanted): Waitable {
  const meant = { ...wanted, type: requireType(wanted.name, 'event') };
  return happening('event', meant, {
    ...matchingEvents(context.database, meant),
    instead() {
      const [newest] = context.webhooks.listEvents({ ...page(wanted), limit: 1 });
      return newest ? `the newest event is ${newest.id}, ${newest.type}` : 'there is no event';
    },
  });
}

function deliveryOf(context: Context, wanted: Wanted): Waitable {
  const meant = { ...wanted, type: requireType(wanted.name, 'delivery') };
  return happening('delivery', meant, {
    ...matchingDeliveries(context.database, meant),
    instead() {
      const [newest] = context.webhooks.listDeliveries({ ...page(wanted), limit: 1 });
      return newest
        ? `the newest delivery is ${newest.id}, ${newest.type}, ${newest.status}${wanted.genuine && !isGenuine(newest) ? spoilt(newest.fault) : ''}`
        : 'there is no delivery; one is made for each endpoint that is subscribed to the event';
    },
  });
}

/** Why a wait for what is genuine passes by what there is. */
function spoilt(reason: string | null): string {
  return ` and not genuine (${reason}); genuine=false takes it too`;
}

/** The first message of an inbox that `after`, the id of one, does not leave out; inboxes are no account's. */
function messageIn({ inbox }: Context, { name, after, genuine }: Wanted): Waitable {
  requireInboxName(name, 'for');
  const seen = after === undefined ? 0 : inbox.numberOf(name, after);
  return {
    concerns: (notice) => notice.kind === 'message',
    look: () => inbox.next(name, seen, { genuine }),
    instead() {
      const [newest] = inbox.list(name, { limit: 1 });
      if (!newest) return 'the inbox is empty';
      const { id, signature } = newest;
      return `the newest message is ${id}${genuine && !signature.verified ? spoilt(signature.reason) : ''}`;
    },
  };
}

function idle(context: Context, { accountId }: Wanted): Waitable {
  const isOwn = (notice: Notice) => accountId === undefined || notice.accountId === accountId;
  return {
    concerns: (notice) => !UNTROUBLING.includes(notice.kind) && isOwn(notice),
    look: () => (busyWith(context, accountId).length === 0 ? { idle: true } : undefined),
    instead: () => `there still is ${busyWith(context, accountId).join(' and ')}`,
  };
}

function happening(
  kind: 'event' | 'delivery',
  { type, accountId }: { type: EventType; accountId: string | undefined },
  found: EventQueries<object> & Pick<Waitable, 'instead'>,
): Waitable {
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

function requireRun(run: Run | undefined, { id, accountId }: { id: string; accountId: string | undefined }): Run {
  if (run && (accountId === undefined || run.accountId === accountId)) return run;
  const owner = accountId === undefined ? 'There is' : `The account ${accountId} has`;
  throw new EmulatorError('not_found', `${owner} no run "${id.slice(0, 80)}". GET /_emulator/runs lists them.`);
}

function requireJob(job: Job | undefined, { id, accountId }: { id: string; accountId: string | undefined }): Job {
  if (job && (accountId === undefined || job.accountId === accountId)) return job;
  const owner = accountId === undefined ? 'There is' : `The account ${accountId} has`;
  throw new EmulatorError('not_found', `${owner} no job "${id.slice(0, 80)}". GET /_emulator/jobs lists them.`);
}
