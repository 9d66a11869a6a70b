import type { Run, RunClass } from './runner.ts';

export class RunScheduler {
  #jobs: number;
  readonly #going: RunClass[] = [];
  readonly #waiting: { turn: RunClass; enter(): void }[] = [];

  constructor(jobs: number) {
    this.#jobs = jobs;
  }

  async take<T>(turn: RunClass, work: () => Promise<T>): Promise<T> {
    await new Promise<void>((enter) => {
      this.#waiting.push({ turn, enter });
      this.#admit();
    });
    try {
      return await work();
    } finally {
      this.#going.splice(this.#going.indexOf(turn), 1);
      this.#admit();
    }
  }

  runOneAtATime(): void {
    this.#jobs = 1;
  }

  #admit(): void {
    for (const each of this.#waiting.filter(({ turn }) => turn === 'calm').concat(this.#waiting)) {
      if (!this.#waiting.includes(each) || !this.#hasRoom(each.turn)) continue;
      this.#waiting.splice(this.#waiting.indexOf(each), 1);
      this.#going.push(each.turn);
      each.enter();
    }
  }

  #hasRoom(turn: RunClass): boolean {
    if (turn === 'calm' || this.#jobs === 1) return this.#going.length === 0;
    if ([...this.#going, ...this.#waiting.map((each) => each.turn)].includes('calm')) return false;
    const most = turn === 'urgent' ? this.#jobs + 1 : this.#jobs;
    return this.#going.filter((each) => each === turn).length < most;
  }
}

type Timed = Pick<Run, 'standstill' | 'began' | 'ended'>;

/**
 * A run was stalled if this process stood still for over `STANDSTILL_MS` at once, or for over `SHARE` of the run. It
 * must also have stood still over twice as long as in any baseline run. A run that was ended early counts as if it had
 * lasted as long as a baseline run, because starting a few runs at once takes a large share of a short time.
 */
const [STANDSTILL_MS, SHARE] = [700, 0.4];

export function wasRunStalled(run: Timed, plain: readonly Timed[]): boolean {
  const { standstill } = run;
  if (!standstill) return false;
  const usual = Math.max(0, ...plain.map((each) => each.standstill?.worst ?? 0));
  const usualMs = Math.min(...plain.map((each) => each.ended - each.began));
  const share = (each: Timed) => (each.standstill?.sum ?? 0) / Math.max(1, usualMs, each.ended - each.began);
  const usualShare = Math.max(0, ...plain.map(share));
  return standstill.worst > Math.max(STANDSTILL_MS, 2 * usual) || share(run) > Math.max(SHARE, 2 * usualShare);
}
