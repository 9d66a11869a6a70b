import { z } from 'zod';
import type { Clock } from '../../base/clock/clock.ts';
import type { Random } from '../../base/random.ts';
import type { Route } from '../../engine/webhooks/send-delivery.ts';
import type { ReceiverCheck } from './forgery-checks.ts';
import { type PostingLimits, postToReceiver, type ReportCardOrder, routeTo, type Seen } from './post-to-receiver.ts';
import { GENUINE, receiverChecks } from './receiver-checks.ts';
import { ReceiverKit } from './receiver-kit.ts';

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
