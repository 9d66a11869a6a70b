/** The page's only door to the browser's time: milliseconds since 1970. */
export function browserNow(): number {
  return Date.now();
}

/** Ends what was begun. */
export type Stop = () => void;

export function every(milliseconds: number, task: () => void): Stop {
  const timer = window.setInterval(task, milliseconds);
  return () => window.clearInterval(timer);
}

export function later(milliseconds: number, task: () => void): Stop {
  const timer = window.setTimeout(task, milliseconds);
  return () => window.clearTimeout(timer);
}

/** Before the page is drawn next; at once where nobody sees it, for then it is not drawn. */
export function onNextFrame(task: () => void): void {
  if (document.hidden) task();
  else window.requestAnimationFrame(task);
}
