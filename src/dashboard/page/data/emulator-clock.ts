import { useEffect } from 'react';
import { browserNow, every } from './browser-time.ts';
import { recordSource } from './call-api.ts';
import { PageStore, useStore } from './page-store.ts';
import { useRecord } from './queries.ts';
import type { ClockState } from './records.ts';

/** How far the emulator's time may be from the browser's before it counts as moved, in milliseconds. */
const MOVED = 30_000;
const MINUTE = 60_000;

interface Reading {
  /** Added to the browser's time while the clock runs. */
  offset: number;
  /** The time of a frozen clock, or null. The clock of a trace is frozen at its moment. */
  frozenAt: number | null;
  isFrozen: boolean;
}

const reading = new PageStore<Reading>({ offset: 0, frozenAt: null, isFrozen: false });
/** Unix seconds of the emulator's clock; all relative times update together. */
const second = new PageStore(0);

/** Milliseconds of the emulator's clock. */
export function emulatorNow(): number {
  return reading.value.frozenAt ?? browserNow() + reading.value.offset;
}

/** The machine's time; of a trace, its current moment. */
export function machineNow(): number {
  return recordSource.value?.moment ?? browserNow();
}

/** Unix seconds of the emulator's clock, updated every second. */
export function useSecond(): number {
  return useStore(second);
}

function tick(): void {
  second.set(Math.floor(emulatorNow() / 1000));
}

interface ClockView {
  /** Unix seconds. */
  now: number;
  isFrozen: boolean;
  /** Its offset from the browser's time in seconds, rounded to the minute; 0 for a clock that was not moved. */
  movedBy: number;
}

/** The emulator's clock, updated every second. */
export function useClock(): ClockView {
  const now = useSecond();
  const { isFrozen } = useStore(reading);
  const away = emulatorNow() - machineNow();
  const movedBy = Math.abs(away) < MOVED ? 0 : Math.round(away / MINUTE) * 60;
  return { now, isFrozen, movedBy };
}

/** Synchronises the clock; used once, by the shell. */
export function useClockSync(): void {
  const { data } = useRecord<ClockState>('/clock');
  useEffect(() => {
    if (!data) return;
    const at = Date.parse(data.now);
    const stands = data.frozen || recordSource.value !== undefined;
    reading.set({ offset: at - browserNow(), frozenAt: stands ? at : null, isFrozen: data.frozen });
    tick();
  }, [data]);
  useEffect(() => every(1000, tick), []);
}

/** The time of day to the millisecond, where the page is read: `11:42:07.318`. */
export function exactClock(milliseconds: number): string {
  const date = new Date(milliseconds);
  const two = (n: number) => String(n).padStart(2, '0');
  const ms = String(date.getMilliseconds()).padStart(3, '0');
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${ms}`;
}
