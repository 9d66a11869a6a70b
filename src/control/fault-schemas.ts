import { z } from 'zod';
import { EFFECT_KINDS } from '../faults/fault-rule.ts';
import { CRASH_POINTS, WEBHOOK_FAULTS } from '../faults/struck.ts';
import { optional, text, whole, withDefault } from '../http/field-schemas.ts';

/** Milliseconds that one wait may last: ten minutes. */
const LONGEST_WAIT = 600_000;
/** Seconds that a rule may live: ten years of the emulator's clock. */
const LONGEST_LIFE = 315_360_000;
const MOST_EVENTS = 1_000_000;
const CODE = /^[a-z0-9_]{1,64}$/;
const CODE_TEXT = '1 to 64 lower-case letters, digits and underscores, such as out_of_memory.';

type Refuse = (field: string, message: string) => void;

/** Names the field within an object that contradicts the rest of it. */
function refusing(context: z.core.$RefinementCtx): Refuse {
  return (field, message) => context.addIssue({ code: 'custom', path: [field], message });
}

const code = z.string().regex(CODE, { error: 'is no code', abort: true }).describe(CODE_TEXT);

const NUL = 'holds a NUL, which no text is searched for; leave it out.';

const match = z
  .strictObject({
    path: optional(text({ min: 1, max: 500 })).describe('the beginning of a path, such as /v1/images.'),
    model: optional(z.string()).describe('an id of GET /v1/models.'),
    contains: optional(text({ min: 1, max: 10_000 }).refine(isPlain, { error: NUL })).describe(
      'a piece of a text of the request.',
    ),
    account_id: optional(z.string()).describe('the id of an account.'),
  })
  .transform(presentFields);

const stream = z
  .strictObject({
    ttft_ms: optional(whole(0, LONGEST_WAIT)).describe('milliseconds before the first event, 0 to 600000.'),
    interval_ms: optional(whole(0, LONGEST_WAIT)).describe('milliseconds between two events, 0 to 600000.'),
    cut_after: optional(whole(1, MOST_EVENTS)).describe(
      'how many events there are before the connection dies, from 1.',
    ),
    malformed_at: optional(whole(1, MOST_EVENTS)).describe('which event is broken, from 1.'),
    omit_done: optional(z.boolean()).describe('true to leave out data: [DONE].'),
  })
  .superRefine(({ ttft_ms, interval_ms, cut_after, malformed_at, omit_done }, context) => {
    if (!ttft_ms && !interval_ms && !cut_after && !malformed_at && !omit_done) {
      context.addIssue({
        code: 'custom',
        message: 'leaves the stream as it is; give one of its fields a value.',
      });
    }
    if (cut_after !== undefined && malformed_at !== undefined && malformed_at > cut_after) {
      refusing(context)(
        'malformed_at',
        `is an event that is never sent, since the stream is cut after ${cut_after}; make it at most ${cut_after}.`,
      );
    }
  })
  .transform(presentFields);

const effect = z
  .strictObject({
    status: optional(whole(400, 599)).describe('an HTTP status from 400 to 599.'),
    code: optional(code).describe(CODE_TEXT),
    retry_after: optional(whole(0, 86_400)).describe('seconds for Retry-After, 0 to 86400.'),
    delay_ms: optional(whole(1, LONGEST_WAIT)).describe('milliseconds of real time, 1 to 600000.'),
    drop: optional(z.literal(true)).describe('true.'),
    fail_job: optional(code).describe(CODE_TEXT),
    stream: optional(stream).describe('an object of ttft_ms, interval_ms, cut_after, malformed_at, omit_done.'),
    webhook: optional(z.enum(WEBHOOK_FAULTS)).describe(`${WEBHOOK_FAULTS.join(', ')}.`),
    crash: optional(z.enum(CRASH_POINTS)).describe(`${CRASH_POINTS.join(', ')}.`),
  })
  .superRefine((given, context) => {
    const kinds = EFFECT_KINDS.filter((kind) => given[kind] !== undefined);
    const [first, second] = kinds;
    const refuse = refusing(context);
    if (!first) context.addIssue({ code: 'custom', message: 'has none; it must have one.' });
    if (second) refuse(second, `is a second effect beside ${first}; make a rule for each.`);
    for (const field of ['code', 'retry_after'] as const) {
      if (given.status !== undefined || given[field] === undefined) continue;
      refuse(field, 'belongs to a status; leave it out, or give the status.');
    }
  })
  .transform(presentFields)
  .describe(`an object with one of ${EFFECT_KINDS.join(', ')}; status may have code, retry_after.`);

/** A fault rule as it is ordered. Nothing unknown passes: a misspelt field would strike everybody. */
export const faultRequest = z.strictObject({
  match: withDefault(match, {}).describe('an object of path, model, contains, account_id, each optional.'),
  times: withDefault(whole(0, 1_000_000), 1).describe('how often it strikes, by default 1; 0: until it is deleted.'),
  probability: withDefault(z.number().refine(isShare, { error: 'is out of range.' }), 1).describe(
    'a number above 0 and at most 1, the default.',
  ),
  ttl_seconds: optional(z.number().refine(isLife, { error: 'is out of range.' })).describe(
    "seconds of the emulator's clock, above 0; without it the rule never ends.",
  ),
  effect,
});

/** What was left out stays out: a rule is kept and shown as it was ordered. */
function presentFields<T extends object>(given: T): { [Name in keyof T]?: NonNullable<T[Name]> } {
  const present = Object.entries(given).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as { [Name in keyof T]?: NonNullable<T[Name]> };
}

function isPlain(piece: string): boolean {
  return !piece.includes('\u0000');
}

function isShare(value: number): boolean {
  return value > 0 && value <= 1;
}

/** Stamps are whole milliseconds. */
function isLife(seconds: number): boolean {
  return seconds >= 0.001 && seconds <= LONGEST_LIFE;
}
