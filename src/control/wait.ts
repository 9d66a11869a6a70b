import { z } from 'zod';
import { within } from '../base/clock/waits.ts';
import { EmulatorError, invalid, quoted } from '../base/errors.ts';
import { countOpenJobs } from '../engine/jobs/job-list-store.ts';
import type { Notice, Notices } from '../engine/journal/notices.ts';
import type { Context } from '../service/http/context.ts';
import { withReason } from '../service/http/field-list.ts';
import { optional } from '../service/http/input.ts';
import { operation } from '../service/http/operation.ts';
import { requireAccount } from './accounts.ts';
import { type Condition, deliveryOf, eventOf, jobEnd, messageIn, runEnd, type Wanted } from './wait-conditions.ts';

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
    `for must be job:ID, run:ID, event:TYPE, delivery:TYPE, inbox:NAME or idle; got ${quoted(text)}.`,
  );
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

function idle(context: Context, { accountId }: Wanted): Condition {
  const isOwn = (notice: Notice) => accountId === undefined || notice.accountId === accountId;
  return {
    concerns: (notice) => !WITHOUT_WORK.includes(notice.kind) && isOwn(notice),
    look: () => (busyWith(context, accountId).length === 0 ? { idle: true } : undefined),
    instead: () => `there still is ${busyWith(context, accountId).join(' and ')}`,
  };
}

/** Notices after which nothing is less busy than before. */
const WITHOUT_WORK = ['event', 'message'];

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
