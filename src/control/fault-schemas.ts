import { z } from 'zod';
import { presentFields } from '../faults/effects/effect-row.ts';
import { effectSchema } from '../faults/effects/effect-table.ts';
import { METHODS } from '../faults/fault-rule.ts';
import { optional, text, whole, withDefault } from '../http/field-schemas.ts';

/** Seconds that a rule may live: ten years of the emulator's clock. */
const LONGEST_LIFE = 315_360_000;
const MOST_TIMES = 1_000_000;
const NUL = 'holds a NUL, which no text is searched for; leave it out.';

/** Which requests a rule or a hold means. Nothing unknown passes: a misspelt field would mean everybody's. */
export const requestMatch = z
  .strictObject({
    path: optional(text({ min: 1, max: 500 })).describe('the beginning of a path, such as /v1/images.'),
    method: optional(z.enum(METHODS)).describe(`one of ${METHODS.join(', ')}.`),
    model: optional(z.string()).describe('an id of GET /v1/models.'),
    contains: optional(text({ min: 1, max: 10_000 }).refine(isPlain, { error: NUL })).describe(
      'a piece of a text of the request.',
    ),
    account_id: optional(z.string()).describe('the id of an account.'),
    take: optional(whole(1, 2)).describe('1 or 2: that take of a song alone.'),
    nth: optional(whole(1, MOST_TIMES)).describe('the nth request or event that fits, from 1, of each account.'),
  })
  .transform(presentFields);

export const MATCH_TEXT = 'an object of path, method, model, contains, account_id, take, nth, each optional.';

/** A fault rule as it is ordered. */
export const faultRequest = z.strictObject({
  match: withDefault(requestMatch, {}).describe(MATCH_TEXT),
  times: withDefault(whole(0, MOST_TIMES), 1).describe('how often it strikes, by default 1; 0: until it is deleted.'),
  probability: withDefault(z.number().refine(isShare, { error: 'is out of range.' }), 1).describe(
    'a number above 0 and at most 1, the default.',
  ),
  ttl_seconds: optional(z.number().refine(isLife, { error: 'is out of range.' })).describe(
    "seconds of the emulator's clock, above 0; without it the rule never ends.",
  ),
  effect: effectSchema,
});

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
