/** A span of time; the parts are added up. */
export interface Duration {
  days?: number;
  hours?: number;
  minutes?: number;
  seconds?: number;
}

/** The span in seconds. Throws `TypeError` for a part that there is not: the clock would stand still [I233]. */
export function secondsOf({ days = 0, hours = 0, minutes = 0, seconds = 0, ...rest }: Duration): number {
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) {
    throw new TypeError(`${unknown} is no part of a duration; it has days, hours, minutes and seconds.`);
  }
  return ((days * 24 + hours) * 60 + minutes) * 60 + seconds;
}
