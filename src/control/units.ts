import { z } from 'zod';
import { isoTime } from '../base/clock/clock.ts';
import { OUTCOMES, type Unit, type Units } from '../engine/accounts/units.ts';
import { optional, text, whole } from '../service/http/input.ts';
import { operation } from '../service/http/operation.ts';
import { listAnswer, listOf, noSuch } from './list-page.ts';

const PATH = '/_emulator/units';
const MOST_NAME = 2000;
const MOST_LINES = 10_000_000;

/** A test, as it is reported with the account that is made for it. */
export const unitOrder = z.strictObject({
  name: text({ min: 1, max: MOST_NAME }).describe('the full path of its titles, of 1 to 2,000 characters.'),
  file: optional(text({ max: MOST_NAME })).describe('its source file, at most 2,000 characters.'),
  line: optional(whole(1, MOST_LINES)).describe('where it begins in the file, from 1.'),
  retry: optional(z.boolean()).describe('true where the runner tries the test again: its unit goes on.'),
});

const unitRecord = z.strictObject({
  id: z.string(),
  /** From the second test of that name in the file on with `#2` and so on. */
  name: z.string(),
  file: z.string().nullable(),
  line: z.int().nullable(),
  account_ids: z.array(z.string()),
  /** It moved the clock, reset or restored: what runs beside it is affected. */
  exclusive: z.boolean(),
  /** Null until its runner has reported it. */
  outcome: z.enum(OUTCOMES).nullable(),
  error: z.string().nullable(),
  /** The machine's time. */
  started: z.string(),
  ended: z.string().nullable(),
});

function viewOf({ id, name, file, line, accountIds, exclusive, outcome, error, started, ended }: Unit) {
  return {
    ...{ id, name, file: file ?? null, line: line ?? null, account_ids: [...accountIds], exclusive },
    ...{ outcome: outcome ?? null, error: error ?? null },
    ...{ started: isoTime(started), ended: ended === undefined ? null : isoTime(ended) },
  };
}

export const listUnits = operation({
  name: 'listUnits',
  method: 'GET',
  path: PATH,
  summary: 'The tests whose fixtures report them, newest first, with their accounts and outcomes.',
  access: 'local',
  answer: listAnswer(unitRecord),
  handle: ({ context }) => listOf(context.units.list().reverse().map(viewOf)),
});

export const endUnit = operation({
  name: 'endUnit',
  method: 'PATCH',
  path: `${PATH}/:id`,
  summary: 'Reports how a test ended; the last report counts.',
  access: 'local',
  body: z.strictObject({
    outcome: z.enum(OUTCOMES).describe(`${OUTCOMES.join(', ')}.`),
    error: optional(z.string()).describe('what it failed with; the first 2,000 characters are kept.'),
  }),
  answer: unitRecord,
  handle(call) {
    const { units } = call.context;
    const unit = requireUnit(units, call.param('id'));
    units.end(unit, call.body.outcome, call.body.error);
    return viewOf(unit);
  },
});

/** Throws `not_found`. */
export function requireUnit(units: Units, id: string): Unit {
  const unit = units.find(id);
  if (unit) return unit;
  throw noSuch('unit', PATH, id);
}
