import { Clock, FastForward, Snowflake } from 'lucide-react';
import { Link } from 'wouter';
import { useClock } from '../data/emulator-clock.ts';
import { at } from '../data/paths.ts';
import { exactTime, lengthOfTime, timeOfDay } from '../pieces/relative-time.tsx';

/** The emulator's clock; one that stands or was moved cannot be overlooked. */
export function ClockFace() {
  const { now, isFrozen, movedBy } = useClock();
  const Icon = isFrozen ? Snowflake : movedBy === 0 ? Clock : FastForward;
  const moved = movedBy === 0 ? '' : `${movedBy > 0 ? '+' : '−'}${lengthOfTime(Math.abs(movedBy))}`;
  const state = [isFrozen ? 'frozen' : '', moved].filter(Boolean).join(' ');
  return (
    <Link
      href={at.jobs()}
      className="button"
      data-look="quiet"
      data-tone={state ? 'wait' : undefined}
      title={`The emulator's clock: ${exactTime(now)}${state && `, ${state}`}`}
    >
      <Icon aria-hidden />
      <span className="unseen">Clock: </span>
      <span className="clock-time">{timeOfDay(now)}</span>
      {state && <strong>{state}</strong>}
    </Link>
  );
}
