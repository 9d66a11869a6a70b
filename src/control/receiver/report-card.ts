import { z } from 'zod';
import type { Clock } from '../../base/clock/clock.ts';
import type { Random } from '../../base/random.ts';
import {
  DELIVERY_FAULT_DEFINITIONS,
  type DeliveryFault,
  deliveryFaultDefinition,
} from '../../engine/faults/delivery-fault-table.ts';
import { type Envelope, EVENT_TYPES, type ServiceEventType } from '../../engine/webhooks/event-schemas.ts';
import {
  createTestDeliveryFactory,
  makeDeliveryContent,
  type PostResult,
  postToReceiver,
  type ReportCardOptions,
  resolveReceiverRoute,
  type TestDeliveryFactory,
  type TestDeliveryMessage,
} from './receiver-kit.ts';

interface ReceiverCheck {
  name: string;
  title: string;
  /** True for a delivery that a correct receiver rejects with 4xx. It accepts all other deliveries with 2xx. */
  isRefused?: boolean;
  sends(kit: TestDeliveryFactory): TestDeliveryMessage | TestDeliveryMessage[];
  fix: string;
  note?: string;
}

function ofFault(
  fault: DeliveryFault,
  named: Pick<ReceiverCheck, 'title' | 'note'> & { name?: string },
): ReceiverCheck {
  const { receiver, advice: fix = '' } = deliveryFaultDefinition(fault);
  const sends = (kit: TestDeliveryFactory) => kit.faulty(kit.envelope(), fault);
  return { name: fault, isRefused: receiver === 'refuse', sends, fix, ...named };
}

const OLD_SECONDS = 600;
/**
 * The largest delivery: 1 MiB of inputs, the most that the URL of a flow accepts, and as much for the results of the
 * steps.
 */
const LARGEST_BODY = 2 * 1_048_576;

const { advice: SIGNATURE } = DELIVERY_FAULT_DEFINITIONS.bad_signature;
const { advice: VERSIONS } = DELIVERY_FAULT_DEFINITIONS.two_proofs;
const HEADER =
  'Return 400 if svc-signature is missing or is not t=<unix>,v1=<64 hex digits>. Compare lengths before timingSafeEqual, which throws when they differ.';
const SLOWNESS =
  'Wait for the whole body, and until the client has read the whole response. Raise timeouts below 10 s.';
const BY_ANSWER = 'Only the response is judged. The effect of the event in the receiver is not visible.';

const GENUINE: ReceiverCheck = {
  name: 'genuine',
  title: 'accepts a genuine delivery',
  sends: (kit) => kit.delivery(kit.envelope()),
  fix: 'Return 2xx within 10 s to a POST with svc-signature t=<unix>,v1=<hex>. The hex digits are the HMAC-SHA256 of "<t>.<raw body>" with the secret of the endpoint. Use the whole secret, including whsec_, and check that the path accepts POST.',
};

function ofType(type: ServiceEventType): ReceiverCheck {
  return {
    name: `event:${type}`,
    title: `accepts ${type}`,
    sends: (kit) => kit.delivery(kit.envelope(type)),
    fix: 'Return 2xx for every event type, including types that you do not use.',
  };
}

const CHECKS: readonly ReceiverCheck[] = [
  ofFault('bad_signature', { title: 'rejects a signature made with another secret' }),
  {
    name: 'altered_byte',
    title: 'rejects a body with one changed byte',
    isRefused: true,
    sends(kit) {
      const posting = kit.delivery(kit.envelope());
      return { ...posting, body: Buffer.from(posting.body.toString().replace('job_sample', 'job_samplE')) };
    },
    fix: SIGNATURE,
  },
  ofFault('old_timestamp', { title: 'rejects a signature that is 10 minutes old' }),
  {
    name: 'moved_timestamp',
    title: 'rejects an old signature under a new time',
    isRefused: true,
    sends: (kit) => kit.delivery(kit.envelope(), (t, v1At) => `t=${t},v1=${v1At(t - OLD_SECONDS)}`),
    fix: SIGNATURE,
  },
  {
    name: 'missing_header',
    title: 'rejects a delivery without svc-signature',
    isRefused: true,
    sends: (kit) => kit.delivery(kit.envelope(), () => undefined),
    fix: HEADER,
  },
  {
    name: 'short_signature',
    title: 'rejects a v1 of the wrong length',
    isRefused: true,
    sends: (kit) => kit.delivery(kit.envelope(), (t) => `t=${t},v1=abc`),
    fix: HEADER,
  },
  // While a secret is rotated, deliveries are signed with the old and the new one.
  {
    name: 'first_of_two_signatures',
    title: 'accepts two v1 if the first one fits',
    sends: (kit) => kit.delivery(kit.envelope(), (t, v1At) => `t=${t},v1=${v1At(t)},v1=${'0'.repeat(64)}`),
    fix: VERSIONS,
  },
  ofFault('two_proofs', { name: 'second_of_two_signatures', title: 'accepts two v1 if the second one fits' }),
  {
    name: 'future_version',
    title: 'accepts a v1 next to a version that does not exist yet',
    sends: (kit) => kit.delivery(kit.envelope(), (t, v1At) => `t=${t},v2=${'f'.repeat(128)},v1=${v1At(t)}`),
    fix: VERSIONS,
  },
  ofFault('spelled', { name: 'other_spelling', title: 'accepts the same JSON with other spacing and escapes' }),
  ofFault('duplicate', {
    title: 'accepts the same delivery a second time',
    note: `${BY_ANSWER} It must do the work only once.`,
  }),
  {
    name: 'out_of_order',
    title: 'accepts an earlier event after a later one',
    sends(kit) {
      const [later, earlier] = [kit.envelope('flow.run.succeeded'), kit.envelope('flow.run.waiting')];
      return [kit.delivery(later), kit.delivery({ ...earlier, created: earlier.created - 60 })];
    },
    fix: DELIVERY_FAULT_DEFINITIONS.reorder.advice,
    note: `${BY_ANSWER} It must not return to the earlier state.`,
  },
  {
    name: 'slow_body',
    title: 'accepts a body that arrives slowly, in pieces',
    sends: (kit) => ({ ...kit.delivery(kit.envelope()), pieces: 4 }),
    fix: SLOWNESS,
  },
  {
    name: 'slow_reader',
    title: 'serves a client that reads slowly',
    sends: (kit) => ({ ...kit.delivery(kit.envelope()), readsLate: true }),
    fix: SLOWNESS,
  },
  {
    name: 'large_body',
    title: 'accepts a body of 2 MiB, the largest possible',
    sends: (kit) => kit.delivery(largest(kit)),
    fix: 'Raise the limit of your body parser to 2 MiB (express.raw({ limit }), Fastify bodyLimit, client_max_body_size). Respond within 10 s, and do the work afterwards.',
  },
  ofFault('unknown_type', {
    title: 'accepts an event type that does not exist yet',
    note: `${BY_ANSWER} It must ignore the event.`,
  }),
  {
    name: 'unknown_fields',
    title: 'accepts fields that do not exist yet',
    sends(kit) {
      const envelope = kit.envelope();
      const data = { ...envelope.data, mood: 'calm', sizes: [{ width: 1024 }] };
      return kit.delivery(Object.assign(envelope, { data, api_version: '2.0.0', livemode: true }));
    },
    fix: 'Ignore unknown fields, in the envelope and in data. A strict schema breaks when a field is added.',
  },
];

function largest(kit: TestDeliveryFactory): Envelope {
  const envelope = kit.envelope('flow.run.succeeded');
  const { data } = envelope;
  // The inputs of a run may have any fields, so the field `notes` fills the body up to `LARGEST_BODY`.
  const withNotes = (notes: string) => ({
    ...envelope,
    data: { ...data, run: { ...Object(data.run), inputs: { notes } } },
  });
  const room = LARGEST_BODY - Buffer.byteLength(makeDeliveryContent(withNotes('')).body);
  return withNotes('x'.repeat(room));
}

const VERDICTS = ['pass', 'fail', 'skipped'] as const;
export type ReceiverCheckVerdict = (typeof VERDICTS)[number];

const checkResult = z.strictObject({
  name: z.string(),
  title: z.string(),
  verdict: z.enum(VERDICTS),
  correct: z.string(),
  got: z.string(),
  fix: z.string().optional(),
  note: z.string().optional(),
  duration_ms: z.int(),
});

export type ReceiverCheckResult = z.infer<typeof checkResult>;

export const reportCardSchema = z.strictObject({
  object: z.literal('report_card'),
  url: z.string(),
  ok: z.boolean(),
  passed: z.int(),
  failed: z.int(),
  skipped: z.int(),
  duration_ms: z.int(),
  checks: z.array(checkResult),
});

export type ReportCard = z.infer<typeof reportCardSchema>;

const TIMEOUT_SECONDS = 10;
const PAUSE_MS = 1000;

export async function checkReceiver(
  { clock, random }: { clock: Clock; random: Random },
  order: ReportCardOptions,
): Promise<ReportCard> {
  const route = resolveReceiverRoute(clock, order);
  const timeoutMs = (order.timeoutSeconds ?? TIMEOUT_SECONDS) * 1000;
  const { gone, events = EVENT_TYPES, onCheck } = order;
  const limits = { clock, timeoutMs, pauseMs: Math.min(PAUSE_MS, timeoutMs / 3), gone };
  const kit = createTestDeliveryFactory({ clock, random, secret: order.secret });
  const post = async (posting: TestDeliveryMessage) => {
    const seen = await postToReceiver(route, posting, limits);
    gone?.throwIfAborted();
    return seen;
  };
  const began = clock.real();
  const checks: ReceiverCheckResult[] = [];
  const planned = [GENUINE, ...events.map(ofType), ...CHECKS];
  for (const check of planned) {
    const isReady = checks.length === 0 || checks[0]?.verdict === 'pass';
    checks.push(isReady ? await tryOut(check, kit, post) : resultOf(check, 'skipped', NOT_READY));
    onCheck?.(checks.length, planned.length);
  }
  const count = (verdict: ReceiverCheckVerdict) => checks.filter((check) => check.verdict === verdict).length;
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

async function tryOut(
  check: ReceiverCheck,
  kit: TestDeliveryFactory,
  post: (posting: TestDeliveryMessage) => Promise<PostResult>,
): Promise<ReceiverCheckResult> {
  const [first, second] = [check.sends(kit)].flat() as [TestDeliveryMessage, TestDeliveryMessage?];
  const before = second && (await post(first));
  if (before && classOf(before) !== 2) {
    const why = `not tried: the receiver did not accept the delivery before it (${describe(before)})`;
    return resultOf(check, 'skipped', why);
  }
  const seen = await post(second ?? first);
  const passes = classOf(seen) === (check.isRefused ? 4 : 2);
  return resultOf(check, passes ? 'pass' : 'fail', describe(seen), seen.durationMs + (before?.durationMs ?? 0));
}

function classOf({ status }: PostResult): number {
  return Math.floor((status ?? 0) / 100);
}

function describe({ status, error }: PostResult): string {
  return status === null ? (error ?? 'nothing') : String(status);
}

const NOT_READY = `not tried: ${GENUINE.name} failed, so the other responses would mean nothing`;

function resultOf(
  { name, title, isRefused, fix, note }: ReceiverCheck,
  verdict: ReceiverCheckVerdict,
  got: string,
  spent = 0,
): ReceiverCheckResult {
  return {
    name,
    title,
    verdict,
    correct: isRefused ? '400 or another 4xx' : '2xx',
    got,
    ...(verdict === 'fail' && { fix }),
    ...(verdict !== 'skipped' && note && { note }),
    duration_ms: spent,
  };
}
