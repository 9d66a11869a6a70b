import { exactClock } from '../data/exact-time.ts';

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

/** A day, and its time to the millisecond. */
export function exactDay(at: number): string {
  return `${DAY.format(at)} ${exactClock(at)}`;
}

/** Where a moment lies between both ends of a run, as a share in percent. */
export function shareOf(at: number, { began, ended }: { began: number; ended: number }): string {
  return `${(((at - began) / Math.max(1, ended - began)) * 100).toFixed(3)}%`;
}
