import type { ClockState } from '../clock/clock.ts';
import { readSetting } from '../database/setting-store.ts';
import type { Demo } from '../demo/demo.ts';
import { overtaken } from '../errors.ts';
import type { Subsystems } from '../http/context.ts';
import { type Life, Lives } from './lives.ts';
import { seed } from './seed.ts';

type Living = Pick<
  Subsystems,
  | 'accounts'
  | 'budgets'
  | 'clock'
  | 'config'
  | 'database'
  | 'processor'
  | 'faults'
  | 'files'
  | 'fixtures'
  | 'flows'
  | 'barrier'
  | 'inbox'
  | 'journal'
  | 'log'
  | 'notices'
  | 'random'
  | 'record'
  | 'recording'
  | 'rateLimit'
  | 'renderer'
  | 'search'
  | 'settlement'
  | 'unanswered'
  | 'webhooks'
> & { readonly demo: Demo };

/** Every life of one emulator: reset, restore, stop and start walk this list, and know nothing else that runs. */
export function livesOf(parts: Living, world: Life = {}): Lives {
  const { clock, database, files, journal, renderer, search } = parts;
  const timers = { rest: () => clock.clear(), close: () => clock.clear() };
  const time = {
    wake() {
      const kept = readSetting<ClockState>(database, 'clock');
      if (kept) clock.restore(kept);
    },
  };
  return new Lives([
    [timers],
    [{ close: () => database.close() }, { wake: () => seed(parts, parts.config) }, time],
    [
      journal,
      parts.record,
      search,
      { wake: () => parts.accounts.forget() },
      parts.rateLimit ?? {},
      {
        wake: () => files.wake(),
        rest: () => files.settled(),
        renew: () => files.renew(),
        close: () => files.settled(),
      },
    ],
    [{ rest: () => leaveGate(parts) }],
    [{ rest: () => renderer.interrupt(overtaken()), close: () => renderer.close() }],
    // A move of the clock goes on when a render ends, and so is ended before the renders are.
    [{ rest: timers.rest }],
    [
      parts.unanswered,
      parts.budgets,
      parts.faults,
      parts.fixtures,
      parts.notices,
      parts.settlement,
      parts.processor,
      parts.webhooks,
      parts.flows,
      parts.inbox,
      parts.demo,
    ],
    [world, parts.recording ?? {}],
  ]);
}

/** Whoever is inside is waited for, so that a request meets one state only [I190]. */
async function leaveGate({ barrier, log }: Pick<Living, 'barrier' | 'log'>): Promise<void> {
  const lost = await barrier.emptied();
  if (lost > 0) log.error({ lost }, 'requests did not end when the state was replaced');
}
