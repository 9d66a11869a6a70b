import { z } from 'zod';
import type { Clock } from '../../base/clock/clock.ts';
import type { Random } from '../../base/random.ts';
import { DELIVERY_FAULT_ROWS, deliveryFaultRow, type WebhookFault } from '../../engine/faults/delivery-faults.ts';
import type { DeliveryContent } from '../../engine/webhooks/delivery-fault.ts';
import { EVENT_TYPES, type EventType } from '../../engine/webhooks/event-schemas.ts';
import type { Route } from '../../engine/webhooks/send-delivery.ts';
import {
  contentOf,
  MEND,
  type Posting,
  type PostingLimits,
  postToReceiver,
  ReceiverKit,
  type ReportCardOrder,
  routeTo,
  type Seen,
  type ShownEnvelope,
} from './receiver-kit.ts';

/** Past the 5 minutes that a signature is good. */
const OLD_SECONDS = 600;

const { advice: SIGNATURE } = DELIVERY_FAULT_ROWS.bad_signature;
const { advice: VERSIONS } = DELIVERY_FAULT_ROWS.two_proofs;

/** Tries what a fault rule does to a delivery. A receiver that ignores it answers 2xx, too. */
function ofFault(fault: WebhookFault, named: Pick<ReceiverCheck, 'title' | 'note'> & { name?: string }): ReceiverCheck {
  const { receiver, advice: mend = '' } = deliveryFaultRow(fault);
  const sends = (kit: ReceiverKit) => kit.faulty(kit.envelope(PLAIN), fault);
  return { name: fault, expects: receiver === 'refuse' ? 'refuse' : 'accept', sends, mend, ...named };
}

const FORGERIES: ReceiverCheck[] = [
  ofFault('bad_signature', { title: 'refuses a signature made with another secret' }),
  {
    name: 'altered_byte',
    title: 'refuses a body of which one byte was altered',
    expects: 'refuse',
    sends(kit) {
      const posting = kit.genuine(kit.envelope(PLAIN));
      const body = posting.body.toString().replace('job_sample', 'job_samplE');
      return [{ ...posting, body: Buffer.from(body) }];
    },
    mend: SIGNATURE,
  },
  ofFault('old_timestamp', { title: 'refuses a signature that is 10 minutes old' }),
  {
    name: 'moved_timestamp',
    title: 'refuses an old signature under a new time',
    expects: 'refuse',
    sends(kit) {
      const content = plain(kit);
      const old = kit.proof(content.body, kit.now - OLD_SECONDS);
      return [kit.posting(content, `t=${kit.now},v1=${old}`)];
    },
    mend: SIGNATURE,
  },
  {
    name: 'missing_header',
    title: 'refuses a delivery without svc-signature',
    expects: 'refuse',
    sends: (kit) => [kit.posting(plain(kit), undefined)],
    mend: MEND.header,
  },
  {
    name: 'short_signature',
    title: 'refuses a v1 of the wrong length',
    expects: 'refuse',
    sends: (kit) => [kit.posting(plain(kit), `t=${kit.now},v1=abc`)],
    mend: MEND.header,
  },
];

const HEADERS: ReceiverCheck[] = [
  // While a secret is exchanged, a delivery is signed with the old one and with the new one.
  {
    name: 'first_of_two_signatures',
    title: 'accepts two v1 of which the first fits',
    expects: 'accept',
    sends(kit) {
      const content = plain(kit);
      return [kit.posting(content, `t=${kit.now},v1=${kit.proof(content.body, kit.now)},v1=${'0'.repeat(64)}`)];
    },
    mend: VERSIONS,
  },
  ofFault('two_proofs', { name: 'second_of_two_signatures', title: 'accepts two v1 of which the second fits' }),
  {
    name: 'future_version',
    title: 'accepts a v1 beside a version that does not exist yet',
    expects: 'accept',
    sends(kit) {
      const content = plain(kit);
      const t = kit.now;
      return [kit.posting(content, `t=${t},v2=${'f'.repeat(128)},v1=${kit.proof(content.body, t)}`)];
    },
    mend: VERSIONS,
  },
  ofFault('spelled', { name: 'other_spelling', title: 'accepts JSON that is spelled in another way' }),
];

function plain(kit: ReceiverKit): DeliveryContent {
  return contentOf(kit.envelope(PLAIN));
}

/** One thing that happens in production. All that it sends is sent in order, and the last answer is judged. */
interface ReceiverCheck {
  name: string;
  title: string;
  /** Whether a correct receiver answers 2xx, or refuses with 4xx. */
  expects: 'accept' | 'refuse';
  sends(kit: ReceiverKit): Posting[];
  /** What to change in a receiver that fails. */
  mend: string;
  /** What cannot be seen from outside. */
  note?: string;
}
const PLAIN: EventType = 'image.generation.succeeded';

/** The largest body there is: a run's inputs, of 1 MiB at most, and as much again for what its steps made. */
const LARGEST_BODY = 2 * 1_048_576;
const BY_ANSWER = 'Judged by the answer alone: what the receiver did with it is not seen from outside.';

/** Everything a receiver is tried with, in order; `types` are those that it is to be ready for. */
function receiverChecks(types: readonly EventType[] = EVENT_TYPES): ReceiverCheck[] {
  return [GENUINE, ...types.map(ofType), ...FORGERIES, ...HEADERS, ...TRAFFIC, ...FUTURE];
}

/** What everything else is measured by: a receiver that refuses this is not ready to be tried. */
const GENUINE: ReceiverCheck = {
  name: 'genuine',
  title: 'accepts a genuine delivery',
  expects: 'accept',
  sends: (kit) => [kit.genuine(kit.envelope(PLAIN))],
  mend: MEND.genuine,
};

function ofType(type: EventType): ReceiverCheck {
  return {
    name: `event:${type}`,
    title: `accepts ${type}`,
    expects: 'accept',
    sends: (kit) => [kit.genuine(kit.envelope(type))],
    mend: MEND.type,
  };
}

const TRAFFIC: ReceiverCheck[] = [
  ofFault('duplicate', {
    title: 'accepts the same delivery a second time',
    note: `${BY_ANSWER} It should have done its work once.`,
  }),
  {
    name: 'out_of_order',
    title: 'accepts an earlier event after a later one',
    expects: 'accept',
    sends(kit) {
      const later = kit.envelope('flow.run.succeeded');
      const earlier = kit.envelope('flow.run.waiting');
      return [kit.genuine(later), kit.genuine({ ...earlier, created: earlier.created - 60 })];
    },
    mend: DELIVERY_FAULT_ROWS.reorder.advice,
    note: `${BY_ANSWER} It should not have gone back to the earlier state.`,
  },
  {
    name: 'slow_body',
    title: 'accepts a body that comes slowly, in pieces',
    expects: 'accept',
    sends: (kit) => [{ ...kit.genuine(kit.envelope(PLAIN)), pieces: 4 }],
    mend: MEND.slowness,
  },
  {
    name: 'slow_reader',
    title: 'answers a client that reads slowly',
    expects: 'accept',
    sends: (kit) => [{ ...kit.genuine(kit.envelope(PLAIN)), readsLate: true }],
    mend: MEND.slowness,
  },
  {
    name: 'large_body',
    title: 'accepts a body of 2 MiB, the largest there is',
    expects: 'accept',
    sends: (kit) => [kit.genuine(largest(kit))],
    mend: MEND.size,
  },
];

const FUTURE: ReceiverCheck[] = [
  ofFault('unknown_type', {
    title: 'accepts an event type that does not exist yet',
    note: `${BY_ANSWER} It should have ignored it.`,
  }),
  {
    name: 'unknown_fields',
    title: 'accepts fields that do not exist yet',
    expects: 'accept',
    sends(kit) {
      const envelope = kit.envelope(PLAIN);
      const data = { ...envelope.data, mood: 'calm', sizes: [{ width: 1024 }] };
      return [kit.genuine(Object.assign(envelope, { data, api_version: '2.0.0', livemode: true }))];
    },
    mend: MEND.unknownFields,
  },
];

function largest(kit: ReceiverKit): ShownEnvelope {
  const envelope = kit.envelope('flow.run.succeeded');
  const { data } = envelope;
  // What a run was given is free in form, and all that can grow.
  const withNotes = (notes: string) => ({
    ...envelope,
    data: { ...data, run: { ...Object(data.run), inputs: { notes } } },
  });
  const room = LARGEST_BODY - Buffer.byteLength(contentOf(withNotes('')).body);
  return withNotes('x'.repeat(room));
}

const VERDICTS = ['pass', 'fail', 'skipped'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** How one check went. `correct` is what a correct receiver answers, `got` what this one did. */
const checkResult = z.strictObject({
  name: z.string(),
  title: z.string(),
  verdict: z.enum(VERDICTS),
  correct: z.string(),
  got: z.string(),
  /** How to mend it, of a check that failed. */
  mend: z.string().optional(),
  /** What the verdict cannot know. */
  note: z.string().optional(),
  duration_ms: z.int(),
});

export type CheckResult = z.infer<typeof checkResult>;

/** `ok`: no check failed and none was skipped. */
export const reportCard = z.strictObject({
  object: z.literal('report_card'),
  url: z.string(),
  ok: z.boolean(),
  passed: z.int(),
  failed: z.int(),
  skipped: z.int(),
  duration_ms: z.int(),
  checks: z.array(checkResult),
});

export type ReportCard = z.infer<typeof reportCard>;

const TIMEOUT_SECONDS = 10;
/** How long slow senders and readers wait in all, in milliseconds of real time: at most a third of what an answer may take. */
const PAUSE_MS = 1000;

/** Sends a receiver what will happen in production, one thing after another, and judges its answers. Rejects when `gone` aborts. */
export async function makeReportCard(
  { clock, random }: { clock: Clock; random: Random },
  order: ReportCardOrder,
): Promise<ReportCard> {
  const route = routeTo(clock, order);
  const timeoutMs = (order.timeoutSeconds ?? TIMEOUT_SECONDS) * 1000;
  const { gone } = order;
  const limits = { clock, timeoutMs, pauseMs: Math.min(PAUSE_MS, timeoutMs / 3), gone };
  const kit = new ReceiverKit({ clock, random, secret: order.secret });
  const began = clock.real();
  const checks: CheckResult[] = [];
  const planned = receiverChecks(order.events);
  for (const check of planned) {
    const ready = checks.length === 0 || checks[0]?.verdict === 'pass';
    checks.push(ready ? await tryOut(check, { kit, route, limits }) : skipped(check, NOT_READY));
    order.onCheck?.(checks.length, planned.length);
  }
  const count = (verdict: Verdict) => checks.filter((check) => check.verdict === verdict).length;
  const [passed, failed] = [count('pass'), count('fail')];
  return {
    object: 'report_card',
    url: order.url,
    ok: passed === checks.length,
    passed,
    failed,
    skipped: count('skipped'),
    duration_ms: clock.real() - began,
    checks,
  };
}

interface Bench {
  kit: ReceiverKit;
  route: Route;
  limits: PostingLimits;
}

async function tryOut(check: ReceiverCheck, { kit, route, limits }: Bench): Promise<CheckResult> {
  const postings = check.sends(kit);
  let seen: Seen | undefined;
  let spent = 0;
  for (const [at, posting] of postings.entries()) {
    seen = await postToReceiver(route, posting, limits);
    limits.gone?.throwIfAborted();
    spent += seen.durationMs;
    const isLast = at === postings.length - 1;
    if (!isLast && !isAccepted(seen)) return skipped(check, notPrepared(seen));
  }
  if (!seen) throw new Error(`the check ${check.name} sends nothing`);
  const { name, title, note } = check;
  const passes = check.expects === 'accept' ? isAccepted(seen) : isRefused(seen);
  return {
    name,
    title,
    verdict: passes ? 'pass' : 'fail',
    correct: CORRECT[check.expects],
    got: describe(seen),
    ...(passes ? {} : { mend: check.mend }),
    ...(note ? { note } : {}),
    duration_ms: spent,
  };
}

const CORRECT = { accept: '2xx', refuse: '400, or another 4xx' };
const NOT_READY = `not tried: ${GENUINE.name} failed, and the other answers would say nothing`;

function skipped({ name, title, expects }: ReceiverCheck, reason: string): CheckResult {
  const correct = CORRECT[expects];
  return { name, title, verdict: 'skipped', correct, got: reason, duration_ms: 0 };
}

function notPrepared(seen: Seen): string {
  return `not tried: the delivery before it was not accepted (${describe(seen)})`;
}

function isAccepted({ status }: Seen): boolean {
  return status !== null && status >= 200 && status < 300;
}

function isRefused({ status }: Seen): boolean {
  return status !== null && status >= 400 && status < 500;
}

function describe({ status, error }: Seen): string {
  return status === null ? (error ?? 'nothing') : String(status);
}
