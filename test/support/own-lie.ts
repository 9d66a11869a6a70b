import { setTimeout } from 'node:timers/promises';
import { afterAll } from 'vitest';
import type { ArmedLie } from '../../src/control/lies/lie.ts';
import type { Emulator } from '../../src/emulator.ts';

/** A lie that `npm run lies:own` wants noticed, and the rules that it breaks. */
export interface OwnLie {
  lie: string;
  field?: string;
  rule: readonly string[];
}

type Lying = Pick<Emulator, 'lies'>;

/** The emulators of the test files that run now: the runner may have another copy of this module than they have. */
const LYING = Symbol.for('emulators that tell the lies of our own tests');
const shared = globalThis as { [LYING]?: { emulators: Set<Lying>; armed: readonly ArmedLie[] } };
shared[LYING] ??= { emulators: new Set(), armed: [] };
const now = shared[LYING];
const { emulators } = now;

/** Has the lies of `npm run lies:own` act in an emulator of the tests. */
export async function joinOwnLies(emulator: Lying): Promise<void> {
  emulators.add(emulator);
  if (now.armed.length > 0) await emulator.lies.arm(now.armed);
  afterAll(() => {
    emulators.delete(emulator);
  });
}

export function hasEmulator(): boolean {
  return emulators.size > 0;
}

/** Every emulator tells this lie, or the truth. It is no fault rule: what a test lists, deletes or resets is as ever. */
export async function armOwnLie(own: OwnLie | undefined): Promise<void> {
  now.armed = own ? [{ id: own.lie, lie: own.lie, ...(own.field === undefined ? {} : { field: own.field }) }] : [];
  for (const { lies } of emulators) await lies.arm(now.armed);
}

/** How often the armed lie was told; an answer counts once its last byte was written, which may be after it was read. */
export async function timesTold(isSure: boolean): Promise<number> {
  const count = () => [...emulators].flatMap(({ lies }) => lies.acted()).reduce((sum, { times }) => sum + times, 0);
  for (let looks = 0; isSure && count() === 0 && looks < 20; looks += 1) await setTimeout(10);
  return count();
}
