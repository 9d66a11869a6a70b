import { createHash } from 'node:crypto';

/** A stream of choices that is the same for the same words. */
export interface Dice {
  /** 0 up to, but not, 1. */
  roll(): number;
  /** True in `share` of all cases. */
  chance(share: number): boolean;
  /** One of the choices, all alike likely. */
  pick<T>(choices: readonly T[]): T;
  /** A number between the bounds. */
  between(low: number, high: number): number;
}

/** Dice thrown by the hash of `name` alone (sfc32 in integers, so that every V8 throws the same). */
export function createDice(name: string): Dice {
  const seed = createHash('sha256').update(name).digest();
  const state = Int32Array.from([0, 4, 8, 12], (at) => seed.readInt32LE(at));
  const roll = () => nextWord(state) / 4_294_967_296;
  return {
    roll,
    chance: (share) => roll() < share,
    pick: <T>(choices: readonly T[]) => {
      const choice = choices[Math.floor(roll() * choices.length)];
      if (choice === undefined) throw new Error(`Nothing to pick from for "${name}".`);
      return choice;
    },
    between: (low, high) => low + (high - low) * roll(),
  };
}

function nextWord(state: Int32Array): number {
  const [a = 0, b = 0, c = 0, counter = 0] = state;
  const sum = (((a + b) | 0) + counter) | 0;
  state[3] = (counter + 1) | 0;
  state[0] = b ^ (b >>> 9);
  state[1] = (c + (c << 3)) | 0;
  state[2] = (((c << 21) | (c >>> 11)) + sum) | 0;
  return sum >>> 0;
}
