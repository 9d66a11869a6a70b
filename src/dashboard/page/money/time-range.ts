import { useSecond } from '../data/emulator-clock.ts';

export const RANGES = [
  ['day', '24 hours'],
  ['month', '30 days'],
  ['all', 'All'],
] as const;

const LENGTHS: Record<string, number> = { day: 86_400, month: 30 * 86_400 };
const MINUTE = 60;

/** Unix seconds at which a range begins, by the emulator's clock and to the minute; undefined for all of time. */
export function useSince(range: string): number | undefined {
  const now = useSecond();
  const length = LENGTHS[range];
  if (length === undefined) return undefined;
  return Math.floor(now / MINUTE) * MINUTE - length;
}

export function isoOf(unixSeconds: number | undefined): string | undefined {
  return unixSeconds === undefined ? undefined : new Date(unixSeconds * 1000).toISOString();
}
