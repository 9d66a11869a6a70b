/**
 * The timers and clocks of the process as they are when this module loads. Test runners replace them later, to have time
 * stand still; requests, waits and the end of a test must go on all the same. The build puts these in place of the global
 * names in all that a test process loads.
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

/** Whether they were replaced before this module was loaded: fake timers carry the clock that moves them. */
export const areReplaced = 'clock' in setTimeout || 'clock' in setImmediate || 'clock' in RealDate;

/** Resolves in the next turn of the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
