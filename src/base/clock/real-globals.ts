/**
 * Timers and clocks of the process before test runners replace them. The emulator's requests and waits must continue if
 * a test stops the time. The build puts these in place of the global names.
 */
const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate } = globalThis;
const { queueMicrotask, performance, Date: RealDate } = globalThis;

export {
  clearImmediate,
  clearInterval,
  clearTimeout,
  performance,
  queueMicrotask,
  RealDate as Date,
  setImmediate,
  setInterval,
  setTimeout,
};

export const areReplaced = 'clock' in setTimeout || 'clock' in setImmediate || 'clock' in RealDate;

export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
