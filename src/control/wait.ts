import { z } from 'zod';
import { withTimeout } from '../base/clock/clock.ts';
import type { Reader } from '../base/database/reader.ts';
import { EmulatorError, invalidRequestError, quoted } from '../base/errors.ts';
import { optional } from '../base/schemas.ts';
import { findRun, isRunFinal } from '../engine/flows/flow-store.ts';
import { describeOpenRenders, reasonJobIsOpen } from '../engine/generation/job-record.ts';
import { countOpenJobs, findJob, isFinal } from '../engine/jobs/job-store.ts';
import type { ChangeNotice } from '../engine/journal/notices.ts';
import { isGenuineDelivery } from '../engine/webhooks/apply-delivery-fault.ts';
import { EVENT_TYPES, type ServiceEventType } from '../engine/webhooks/event-schemas.ts';
import { countOpenDeliveries } from '../engine/webhooks/webhook-list-store.ts';
import {
  createNextEventFinder,
  createNextFinishedDeliveryFinder,
  type DeliveryRecord,
  listDeliveries,
  listEvents,
  type NextRecordFinder,
} from '../engine/webhooks/webhook-records.ts';
import type { Context } from '../service/http/context.ts';
import { packFieldWithReason } from '../service/http/field-list.ts';
import { accounts } from './accounts.ts';
import { defineGet } from './control-operation.ts';
import { requireInboxName } from './inbox.ts';
import { jobView } from './jobs.ts';
import { flowRunDetailView } from './runs.ts';

const STANDARD_SECONDS = 10;
const MAX_SECONDS = 600;
const FOR = /^(?:idle|(?:job|run|event|delivery|inbox):.+)$/s;
const SEQUENCES = ['event', 'delivery', 'inbox'];
const SIGNED = ['delivery', 'inbox'];

export const waitFor = defineGet('waitFor', '/_emulator/wait', {
  summary:
    'Waits for a condition. Returns immediately if it is already true; returns 408 if it does not become true in time.',
  alias: { field: 'for', name: 'until' },
  query: z.object({
    for: z
      .string()
      .describe('job:ID, run:ID, event:TYPE, delivery:TYPE, inbox:NAME or idle.')
      .meta({ pattern: FOR.source }),
    timeout: optional(z.coerce.number().min(0).max(MAX_SECONDS)).describe(
      `a number of seconds of real time from 0 to ${MAX_SECONDS} (default: ${STANDARD_SECONDS}).`,
    ),
    account_id: optional(z.string()).describe('the id of an account.'),
    after: optional(z.string()).describe('the id of an event, delivery or message; only later ones count.'),
    genuine: optional(z.enum(['true', 'false'])).describe(
      'true to ignore messages that are not genuine, and deliveries that no receiver accepted (default: false).',
    ),
  }),
  answer: z.object({ for: z.string() }).catchall(z.unknown()),
  async handle(call) {
    const { context, query, gone } = call;
    const { timeout = STANDARD_SECONDS, account_id: accountId, after } = query;
    if (!FOR.test(query.for)) {
      throw invalidRequestError(
        'for',
        `for must be job:ID, run:ID, event:TYPE, delivery:TYPE, inbox:NAME or idle, not ${quoted(query.for)}.`,
      );
    }
    const kind = query.for.split(':', 1).join() as keyof typeof CONDITIONS;
    const name = query.for.slice(kind.length + 1);
    if (accountId !== undefined) accounts.require(context, accountId);
    if (after !== undefined && !SEQUENCES.includes(kind)) call.warn(packFieldWithReason('after', `for=${kind}`));
    if (query.genuine !== undefined && !SIGNED.includes(kind)) call.warn(packFieldWithReason('genuine', `for=${kind}`));
    const condition = CONDITIONS[kind](context, { name, accountId, after, genuine: query.genuine === 'true' });
    const bounds = { milliseconds: timeout * 1000, gone };
    const met = (notice?: ChangeNotice) => (notice && !condition.concerns(notice) ? undefined : condition.look(notice));
    const found = await withTimeout(context.clock, bounds, (signal) => context.records.notices.until(met, signal));
    if (found) return { for: query.for, ...found };
    const renders = kind === 'job' ? '' : describeOpenRenders(context.database, accountId);
    throw new EmulatorError(
      'timeout',
      `${query.for} did not come within ${timeout} s: ${condition.instead()}.${renders}`,
    );
  },
});

const CONDITIONS = { job: jobEnd, run: runEnd, event: eventOf, delivery: deliveryOf, inbox: messageIn, idle };

function idle(context: Context, { accountId }: Wanted): Condition {
  const isOwn = (notice: ChangeNotice) => accountId === undefined || notice.accountId === accountId;
  return {
    concerns: (notice) => notice.kind !== 'event' && notice.kind !== 'message' && isOwn(notice),
    look: () => (busyWith(context, accountId).length === 0 ? { idle: true } : undefined),
    instead: () => `work remains: ${busyWith(context, accountId).join(' and ')}`,
  };
}

function busyWith(context: Context, accountId: string | undefined): string[] {
  const { database, control, failures } = context;
  const work: [count: number, one: string, many: string][] = [
    [countOpenJobs(database, accountId), 'open job', 'open jobs'],
    [control.flows.running(accountId), 'running run', 'running runs'],
    [failures.rules.holds.pending(accountId), 'held request or answer', 'held requests and answers'],
    [countOpenDeliveries(database, accountId), 'delivery due or in flight', 'deliveries due or in flight'],
  ];
  return work.flatMap(([n, one, many]) => (n === 0 ? [] : [`${n} ${n === 1 ? one : many}`]));
}

interface Wanted {
  name: string;
  accountId: string | undefined;
  after: string | undefined;
  genuine: boolean;
}

/** Checking a condition changes nothing: no job ends, and no poll counts. */
interface Condition {
  concerns(notice: ChangeNotice): boolean;
  look(notice?: ChangeNotice): object | undefined;
  instead(): string;
}

function jobEnd(context: Context, wanted: Wanted): Condition {
  const find = () => requireOwn('job', findJob(context.database, wanted.name), wanted);
  const { id } = find();
  return {
    concerns: (notice) => notice.kind === 'job' && notice.id === id,
    look() {
      const job = find();
      return isFinal(job.status) ? jobView(context, job) : undefined;
    },
    instead: () => reasonJobIsOpen(context, find()),
  };
}

function runEnd(context: Context, wanted: Wanted): Condition {
  const find = () => requireOwn('run', findRun(context.database, wanted.name), wanted);
  const { id } = find();
  return {
    concerns: (notice) => notice.kind === 'run' && notice.id === id,
    look: () => (isRunFinal(find().status) ? flowRunDetailView(context.control.flows.view(id)) : undefined),
    instead() {
      const { status, step } = find();
      return `the run is ${status} at step ${step}`;
    },
  };
}

function eventOf(context: Context, wanted: Wanted): Condition {
  return published('event', { context, ...wanted }, createNextEventFinder, () => {
    const [newest] = listEvents(context.database, { accountId: wanted.accountId, limit: 1 });
    return newest ? `the newest event is ${newest.id}, ${newest.type}` : 'there is no event';
  });
}

function deliveryOf(context: Context, wanted: Wanted): Condition {
  return published('delivery', { context, ...wanted }, createNextFinishedDeliveryFinder, () => {
    const [newest] = listDeliveries(context.database, { accountId: wanted.accountId, limit: 1 });
    return newest
      ? `the newest delivery is ${newest.id}, ${newest.type}, ${newest.status}${wanted.genuine ? notCounted(newest) : ''}`
      : 'there is no delivery; one is made for each endpoint that is subscribed to the event';
  });
}

function notCounted(delivery: DeliveryRecord): string {
  if (!isGenuineDelivery(delivery)) return notGenuine(delivery.fault);
  return delivery.status === 'failed' ? ', which no receiver accepted; genuine=false accepts it too' : '';
}

function notGenuine(reason: string | null): string {
  return ` and not genuine (${reason}); genuine=false accepts it too`;
}

function messageIn({ events: { inboxes } }: Context, { name, after, genuine }: Wanted): Condition {
  requireInboxName(name, 'for');
  const seen = after === undefined ? 0 : inboxes.numberOf(name, after);
  return {
    concerns: (notice) => notice.kind === 'message',
    look: () => inboxes.next(name, seen, { genuine }),
    instead() {
      const [newest] = inboxes.list(name, { limit: 1 });
      if (!newest) return 'the inbox is empty';
      const { id, signature } = newest;
      return `the newest message is ${id}${genuine && !signature.verified ? notGenuine(signature.reason) : ''}`;
    },
  };
}

function published(
  kind: 'event' | 'delivery',
  { context, ...wanted }: Wanted & { context: Context },
  find: (db: Reader, event: Wanted & { type: ServiceEventType }) => NextRecordFinder<object>,
  instead: Condition['instead'],
): Condition {
  const { name, accountId } = wanted;
  const type = EVENT_TYPES.find((each) => each === name);
  if (!type) {
    throw invalidRequestError(
      'for',
      `for=${kind}:${name.slice(0, 80)} is not an event type. Accepted: ${EVENT_TYPES.join(', ')}.`,
    );
  }
  const { first, matching } = find(context.database, { ...wanted, type });
  return {
    concerns: (notice) =>
      notice.kind === kind && notice.type === type && (accountId === undefined || notice.accountId === accountId),
    look: (notice) => (notice ? matching(notice.id) : first()),
    instead,
  };
}

function requireOwn<Row extends { accountId: string }>(
  what: 'job' | 'run',
  row: Row | undefined,
  { name, accountId }: Wanted,
): Row {
  if (row && (accountId === undefined || row.accountId === accountId)) return row;
  const owner = accountId === undefined ? 'There is' : `The account ${accountId} has`;
  throw new EmulatorError('not_found', `${owner} no ${what} ${quoted(name)}. GET /_emulator/${what}s lists them.`);
}
