/** The exit code of a killed process where no signal is reported. */
const KILLED = 137;

/** Ends this process as `kill -9` does: nothing after it runs, and nothing is closed. */
export function crashHook(): never {
  if (process.platform !== 'win32') process.kill(process.pid, 'SIGKILL');
  process.exit(KILLED);
}

/** Whether a process ended so, or was killed by somebody else: it had no part in it. */
export function wasKilled({ code, signal }: { code: number | null; signal: string | null }) {
  return signal === 'SIGKILL' || code === KILLED;
}
