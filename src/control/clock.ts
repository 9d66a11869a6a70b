import { z } from 'zod';
import { isoTime } from '../base/clock/clock.ts';
import type { SaveClockState } from '../base/clock/virtual-clock.ts';
import { writeSetting } from '../base/database/id-store.ts';
import { invalidRequestError } from '../base/errors.ts';
import { optional } from '../base/schemas.ts';
import { readSeedTime } from '../engine/accounts/accounts.ts';
import type { Context } from '../service/http/context.ts';
import { defineGet, definePost, definePut } from './control-operation.ts';

export const clockSchema = z.strictObject({ now: z.string(), frozen: z.boolean() });

const LATEST = Date.UTC(9999, 11, 31);

export function clockView({ clock }: Context) {
  return { now: isoTime(clock.now()), frozen: clock.frozen };
}

const getClock = defineGet('getClock', '/_emulator/clock', {
  summary: "Shows the emulator's time.",
  answer: clockSchema,
  handle: ({ context }) => clockView(context),
});

export const setClock = definePut('setClock', '/_emulator/clock', {
  summary: 'Sets, freezes or unfreezes the clock. An omitted field changes nothing.',
  body: z.object({
    now: optional(z.iso.datetime({ offset: true })).describe('an ISO 8601 time, such as 2030-01-01T00:00:00Z.'),
    frozen: optional(z.boolean()).describe('true to stop the clock, false to let it run.'),
  }),
  answer: clockSchema,
  async handle({ context, body }) {
    const now = body.now === undefined ? undefined : Date.parse(body.now);
    if (now !== undefined) requireTime(context, now);
    await moveClock(context, (keep) => context.clock.set({ now, frozen: body.frozen }, keep));
    return clockView(context);
  },
});

export const advanceClock = definePost('advanceClock', '/_emulator/clock/advance', {
  summary: 'Moves the clock forward, and returns when all work that became due has finished.',
  body: z.object({ seconds: z.number().min(0).describe('a number of seconds, 0 or more.') }),
  answer: clockSchema,
  async handle({ context, body }) {
    const milliseconds = Math.round(body.seconds * 1000);
    if (context.clock.now() + milliseconds > LATEST) {
      throw invalidRequestError(
        'seconds',
        `seconds must not move the clock past the year 9999, as ${body.seconds} would. Send fewer.`,
      );
    }
    await moveClock(context, (keep) => context.clock.advance(milliseconds, keep));
    return clockView(context);
  },
});

/**
 * Finishes the work that is due, moves the clock, and finishes the work that is due then. Does not wait for receivers.
 */
async function moveClock(context: Context, move: (keep: SaveClockState) => Promise<void>): Promise<void> {
  const { database } = context;
  const { settleDue, tests } = context.control;
  tests.noteExclusive();
  await settleDue();
  await move((state) => database.transact((tx) => writeSetting(tx, 'clock', state)));
  await settleDue();
}

function requireTime({ clock, database }: Context, now: number): void {
  const seeded = readSeedTime(database);
  if (now >= seeded && now <= LATEST) return;
  throw invalidRequestError(
    'now',
    `now must lie between the moment this state was seeded (${isoTime(seeded)}) and the year 9999, not ${Number.isNaN(now) ? 'another text' : isoTime(now)}. It is ${isoTime(clock.now())}.`,
  );
}

export const CLOCK_OPERATIONS = [getClock, setClock, advanceClock] as const;
