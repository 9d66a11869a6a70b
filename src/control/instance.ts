import { z } from 'zod';
import { isoTime } from '../base/clock/clock.ts';
import { yieldToEventLoop } from '../base/clock/real-globals.ts';
import { lastPosition } from '../base/database/list-queries.ts';
import type { PositionRange, Reader } from '../base/database/reader.ts';
import { VERSION } from '../base/package/package-folder.ts';
import { optional } from '../base/schemas.ts';
import { listAccountIds } from '../engine/accounts/account-store.ts';
import { findMispricedRunIds, findRunIdsWithWrongEvents } from '../engine/flows/flow-store.ts';
import { findJobIdsWithWrongRefund } from '../engine/jobs/job-store.ts';
import { auditLedger } from '../engine/ledger/entry-store.ts';
import { findJobIdsWithoutEntry, findOrphanEntryIds } from '../engine/library/library-store.ts';
import { describeOrdersSharingCharges } from '../engine/orders/order-store.ts';
import { findInconsistentDeliveryIds } from '../engine/webhooks/webhook-list-store.ts';
import type { Context } from '../service/http/context.ts';
import { controlTokenCookie } from '../service/http/control-guard.ts';
import { BroadcastReply, NoContentReply } from '../service/http/send.ts';
import { defineGet, definePost } from './control-operation.ts';

const invariantReport = z.strictObject({
  ok: z.boolean(),
  checks: z.array(z.strictObject({ name: z.string(), ok: z.boolean(), detail: z.string().optional() })),
  broken: z.array(z.strictObject({ name: z.string(), detail: z.string() })),
});

const ROWS_PER_STEP = 1000;

const BALANCED = 'every balance is the sum of its entries and never negative';
const CHAINED = 'every entry carries the balance that follows from the one before';
const SETTLED = 'every failed job is refunded, and no other';
const HAS_JOB = 'every charge of a render has its job';
const IN_LIBRARY = 'every succeeded job is in the library';
const OF_JOB = 'every library entry belongs to a succeeded job';
const PRICED = 'every run that is over costs its charges net of refunds';
const ANNOUNCED = 'every run that is over has been reported once, and no other';
const UNSHARED = 'every charge belongs to one order at most';
const DELIVERED = 'every delivery carries an event, and was attempted at most once';

const INVARIANTS = [BALANCED, CHAINED, SETTLED, HAS_JOB, IN_LIBRARY, OF_JOB, PRICED, ANNOUNCED, UNSHARED, DELIVERED];

const BY_POSITION: readonly {
  name: string;
  of: Parameters<typeof lastPosition>[1];
  broken: (db: Reader, positions: PositionRange) => string[];
}[] = [
  { name: SETTLED, of: 'jobs', broken: findJobIdsWithWrongRefund },
  { name: IN_LIBRARY, of: 'jobs', broken: findJobIdsWithoutEntry },
  { name: OF_JOB, of: 'library', broken: findOrphanEntryIds },
  { name: PRICED, of: 'runs', broken: findMispricedRunIds },
  { name: ANNOUNCED, of: 'runs', broken: findRunIdsWithWrongEvents },
  { name: DELIVERED, of: 'deliveries', broken: findInconsistentDeliveryIds },
];

/**
 * The invariants hold after each commit, so the pauses between the steps of the check do not matter. Rejects with the
 * reason of the signal if it is aborted.
 */
export async function makeInvariantReport(
  { database }: Pick<Context, 'database'>,
  signal?: AbortSignal,
): Promise<z.infer<typeof invariantReport>> {
  const broken = new Map<string, string[]>(INVARIANTS.map((name) => [name, []]));
  const breathe = async () => {
    await yieldToEventLoop();
    signal?.throwIfAborted();
  };
  await checkAccounts(database, broken, breathe);
  for (const { name, of, broken: find } of BY_POSITION) {
    const end = lastPosition(database, of);
    for (let after = 0; after < end; after += ROWS_PER_STEP) {
      broken.get(name)?.push(...find(database, { after, last: Math.min(after + ROWS_PER_STEP, end) }));
      await breathe();
    }
  }
  const checks = [...broken].map(([name, ids]) => {
    return ids.length === 0 ? { name, ok: true } : { name, ok: false, detail: ids.slice(0, 20).join(', ') };
  });
  return {
    ok: checks.every((check) => check.ok),
    checks,
    broken: checks.flatMap(({ name, detail }) => (detail === undefined ? [] : [{ name, detail }])),
  };
}

async function checkAccounts(db: Reader, broken: Map<string, string[]>, breathe: () => Promise<void>): Promise<void> {
  for (const id of listAccountIds(db)) {
    const audit = await auditLedger(db, id, breathe);
    if (!audit.isBalanced) broken.get(BALANCED)?.push(id);
    broken.get(CHAINED)?.push(...audit.broken);
    broken.get(HAS_JOB)?.push(...audit.jobless);
    broken.get(UNSHARED)?.push(...describeOrdersSharingCharges(db, id));
    await breathe();
  }
}

const healthRecord = z.strictObject({
  status: z.string(),
  version: z.string(),
  started_at: z.string(),
  clock: z.string(),
});

const getHealth = defineGet('getHealth', '/_emulator/health', {
  summary: 'Reports that the emulator is running, with its version and its time.',
  skipsBarrier: true,
  answer: healthRecord,
  handle: ({ context: { clock, control } }) => ({
    status: 'ok',
    version: VERSION,
    started_at: isoTime(control.startedAt),
    clock: isoTime(clock.now()),
  }),
});

const resetEmulator = definePost('resetEmulator', '/_emulator/reset', {
  summary: 'Restores the seeded state. Snapshots are kept.',
  skipsBarrier: true,
  status: 204,
  answer: 'nothing',
  async handle({ context }) {
    context.control.tests.noteExclusive();
    await context.control.reset();
    return new NoContentReply();
  },
});

const getInvariants = defineGet('getInvariants', '/_emulator/invariants', {
  summary: 'Checks every invariant of the ledger, jobs and deliveries.',
  answer: invariantReport,
  handle: ({ context, gone }) => makeInvariantReport(context, gone),
});

const streamLive = defineGet('streamLive', '/_emulator/live', {
  summary: 'Streams new requests and events as server-sent events.',
  skipsBarrier: true,
  query: z.object({
    after: optional(z.string().max(100)).describe(
      'the id of the last received message; the header Last-Event-ID has the same effect.',
    ),
  }),
  answer: 'text/event-stream',
  handle(call) {
    const { live } = call.context.records;
    const after = call.requestHeader('last-event-id') ?? call.query.after;
    return new BroadcastReply((sink) => live.join(sink, after));
  },
});

const openSession = definePost('openSession', '/_emulator/session', {
  summary: 'Stores the control token of this request in a browser cookie.',
  skipsBarrier: true,
  status: 204,
  answer: 'nothing',
  handle(call) {
    const token = /^Bearer (.+)$/.exec(call.requestHeader('authorization') ?? '')?.[1];
    if (token !== undefined) call.header('set-cookie', controlTokenCookie(token, call.baseUrl));
    return new NoContentReply();
  },
});

export const INSTANCE_OPERATIONS = [getHealth, resetEmulator, getInvariants, streamLive, openSession] as const;
