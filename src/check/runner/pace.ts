import type { Cancel, Clock } from '../../base/clock/clock.ts';
import type { Rank, Run, RunOrder, Standstill } from './runner.ts';

type Ranked = Pick<RunOrder, 'rank' | 'isUrgent'>;

interface Waiting extends Required<Ranked> {
  since: number;
  enter(): void;
}

const RANKS: readonly Rank[] = ['calm', 'next', 'new'];
/** The number of additional runs that may confirm a failure. */
const URGENT = 3;
const LOOK_MS = 25;
/** If timers are this late on average, the process is busy. Milliseconds. */
const LATE_MS = 120;
/** The weight of the newest measurement in the average. */
const NEWEST = 0.2;
const FEW = 4;
/** The longest wait of calm work for others to end. Milliseconds. */
const CALM_LIMIT_MS = 3000;

/**
 * Starts as much work at once as requested, and less if this process is busy. On a starved machine clients would show the
 * effects of their own timeouts.
 */
export class Pace {
  readonly #clock: Clock;
  #most: number;
  readonly #signal: AbortSignal;
  readonly #under = new Set<Standstill>();
  #waiting: Waiting[] = [];
  #inside = 0;
  #calm = 0;
  #late = 0;
  #due = 0;
  #cancel: Cancel | undefined;

  constructor(clock: Clock, most: number, signal: AbortSignal) {
    this.#clock = clock;
    this.#most = most;
    this.#signal = signal;
  }

  async go<T>({ rank = 'next', isUrgent = false }: Ranked, work: (standstill: Standstill) => Promise<T>): Promise<T> {
    await new Promise<void>((enter) => {
      this.#waiting.push({ rank, isUrgent, since: this.#clock.real(), enter });
      this.#look();
      this.#admit();
    });
    const standstill: Standstill = { sum: 0, worst: 0 };
    this.#under.add(standstill);
    try {
      return await work(standstill);
    } finally {
      this.#under.delete(standstill);
      if (rank === 'calm') this.#calm -= 1;
      this.#inside -= 1;
      this.#admit();
    }
  }

  narrow(): void {
    this.#most = 1;
  }

  #look(): void {
    if (this.#cancel) return;
    this.#due = this.#clock.real() + LOOK_MS;
    this.#cancel = this.#clock.after(LOOK_MS, () => {
      this.#cancel = undefined;
      this.#measure(Math.max(0, this.#clock.real() - this.#due));
      this.#admit();
      if (this.#inside > 0 || this.#waiting.length > 0) this.#look();
    });
  }

  #measure(late: number): void {
    this.#late += (late - this.#late) * NEWEST;
    for (const standstill of this.#under) {
      standstill.sum += late;
      standstill.worst = Math.max(standstill.worst, late);
    }
  }

  #admit(): void {
    const [first] = this.#waiting.toSorted((a, b) => placeOf(a) - placeOf(b));
    if (!first || !this.#hasRoom(first)) return;
    this.#waiting = this.#waiting.filter((each) => each !== first);
    if (first.rank === 'calm') this.#calm += 1;
    this.#inside += 1;
    first.enter();
  }

  #hasRoom({ rank, isUrgent, since }: Waiting): boolean {
    if (this.#signal.aborted || this.#inside === 0) return true;
    const most = this.#calm > 0 || rank === 'calm' ? Math.min(FEW, this.#most) : this.#most;
    const hasWaited = rank === 'calm' && this.#clock.real() - since > CALM_LIMIT_MS;
    const more = isUrgent && most > 1 ? URGENT : 0;
    return this.#inside < most + more && (this.#late < LATE_MS || hasWaited);
  }
}

function placeOf({ rank, isUrgent }: Waiting): number {
  return isUrgent ? -1 : RANKS.indexOf(rank);
}

type Timed = Pick<Run, 'standstill' | 'began' | 'ended'>;

/** After a stall of this length or share, a run says little about its command. Milliseconds, or a share of the run. */
const STANDSTILL_MS = 700;
const SHARE = 0.4;

/**
 * True if the run says more about the machine than about the command. A command that keeps its process busy does so in
 * every run.
 */
export function isStarved({ standstill, began, ended }: Timed, plain: readonly Timed[]): boolean {
  if (!standstill) return false;
  const usual = Math.max(0, ...plain.map((run) => run.standstill?.worst ?? 0));
  const share = (each: Timed) => (each.standstill?.sum ?? 0) / Math.max(1, each.ended - each.began);
  const usualShare = Math.max(0, ...plain.map(share));
  const own = standstill.sum / Math.max(1, ended - began);
  return standstill.worst > Math.max(STANDSTILL_MS, 2 * usual) || own > Math.max(SHARE, 2 * usualShare);
}
