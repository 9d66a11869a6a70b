/** Milliseconds since 1970. No other file of the page reads the browser's clock. */
export function browserNow(): number {
  return Date.now();
}

/** Cancels a timer. */
export type Stop = () => void;

export function every(milliseconds: number, task: () => void): Stop {
  const timer = window.setInterval(task, milliseconds);
  return () => window.clearInterval(timer);
}

export function later(milliseconds: number, task: () => void): Stop {
  const timer = window.setTimeout(task, milliseconds);
  return () => window.clearTimeout(timer);
}

/** Runs a task before the next frame; at once in a hidden page, which has no frames. */
export function onNextFrame(task: () => void): void {
  if (document.hidden) task();
  else window.requestAnimationFrame(task);
}
