import { useSecond } from '../data/emulator-clock.ts';

const EXACT = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'long',
});
const CLOCK = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});
const UNITS: readonly (readonly [number, string])[] = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
];

/** 1 Jan 2030, 12:00:00 CET. */
export function exactTime(unixSeconds: number): string {
  return EXACT.format(unixSeconds * 1000);
}

/** 12:00:00. */
export function timeOfDay(unixSeconds: number): string {
  return CLOCK.format(unixSeconds * 1000);
}

/** `5 min ago`, `in 2 d`, `just now`; both are unix seconds. */
export function relativeTime(then: number, now: number): string {
  const seconds = Math.abs(now - then);
  if (seconds < 10) return 'just now';
  const text = lengthOfTime(seconds);
  return then > now ? `in ${text}` : `${text} ago`;
}

/** `45 s`, `5 min`, `3 h`, `8 d`. */
export function lengthOfTime(seconds: number): string {
  const [size, unit] = UNITS.find(([each]) => seconds >= each) ?? [1, 's'];
  return `${Math.floor(seconds / size)} ${unit}`;
}

/** How long ago by the emulator's clock, with the exact time in its title. `at` is unix seconds or ISO 8601. */
export function RelativeTime({ at }: { at: number | string }) {
  const now = useSecond();
  const then = typeof at === 'number' ? at : Date.parse(at) / 1000;
  return (
    <time dateTime={new Date(then * 1000).toISOString()} title={exactTime(then)}>
      {relativeTime(then, now)}
    </time>
  );
}

/** The time of day, with the exact time in its title. */
export function TimeOfDay({ at }: { at: number }) {
  return (
    <time dateTime={new Date(at * 1000).toISOString()} title={exactTime(at)}>
      {timeOfDay(at)}
    </time>
  );
}

/** Both: how long ago, and when. */
export function ExactMoment({ at }: { at: number }) {
  return (
    <>
      <RelativeTime at={at} /> <span className="soft">{exactTime(at)}</span>
    </>
  );
}
