import { readSetting, writeSetting } from '../database/setting-store.ts';
import type { Reader, Transaction } from '../database/transaction.ts';

/** A stretch of the machine's time, in milliseconds, both ends included; null where it goes on. */
interface Stretch {
  from: number;
  to: number | null;
}

/**
 * In which stretches of time a state came to be what it is: a restore ends one at the moment of the snapshot and begins
 * another. What happened outside of them belongs to a future that was discarded.
 */
export type Timeline = readonly Stretch[];

const SETTING = 'timeline';
/** Of a state that was never left. */
export const WHOLE: Timeline = [{ from: 0, to: null }];

export function readTimeline(db: Reader): Timeline {
  return readSetting<Timeline>(db, SETTING) ?? WHOLE;
}

/**
 * A state that was kept at one moment is gone on with at another. What was `saved` in another data folder came to be
 * outside of what is on record here: undefined.
 */
export function resumeTimeline(tx: Transaction, { saved, at }: { saved: number | undefined; at: number }): void {
  const before = saved === undefined ? [] : readTimeline(tx);
  const ended = before.map(({ from, to }) => ({ from, to: to ?? saved ?? from }));
  writeSetting(tx, SETTING, [...ended, { from: at, to: null }]);
}

/** Whether what happened at a time of the machine's clock is part of a state. */
export function isOfTimeline(timeline: Timeline, at: number): boolean {
  return timeline.some(({ from, to }) => at >= from && (to === null || at <= to));
}
