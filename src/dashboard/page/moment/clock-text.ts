const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

/** The time of day to the millisecond, where the page is read. */
export function exactClock(at: number): string {
  const time = new Date(at);
  const two = (n: number) => String(n).padStart(2, '0');
  const seconds = `${two(time.getSeconds())}.${String(time.getMilliseconds()).padStart(3, '0')}`;
  return `${two(time.getHours())}:${two(time.getMinutes())}:${seconds}`;
}

/** The same with its day. */
export function exactDay(at: number): string {
  return `${DAY.format(at)} ${exactClock(at)}`;
}

/** Where a moment lies between both ends of a run, as a share in percent. */
export function shareOf(at: number, { began, ended }: { began: number; ended: number }): string {
  return `${(((at - began) / Math.max(1, ended - began)) * 100).toFixed(3)}%`;
}
