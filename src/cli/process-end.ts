/** The exit codes of every command. */
export const EXIT = { success: 0, failure: 1, wrongUse: 2, folderInUse: 3, innerFault: 70 } as const;

/** Ends a command with an exit code of its own; `message` is the line on standard error, if there is one to say. */
export class CommandEnd extends Error {
  override name = 'CommandEnd';
  readonly exitCode: number;

  constructor(exitCode: number, message = '') {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The exit code of a killed process where no signal is reported. */
const KILLED = 137;

/** Ends this process as `kill -9` does: nothing after it runs, and nothing is closed. */
export function crashHook(): never {
  if (process.platform !== 'win32') process.kill(process.pid, 'SIGKILL');
  process.exit(KILLED);
}

/** Whether a process ended so, or was killed from outside. */
export function wasKilled({ code, signal }: { code: number | null; signal: string | null }) {
  return signal === 'SIGKILL' || code === KILLED;
}

/** The longest that a stop may take; what still runs then is resumed or refunded at the next start. */
const STOP_LIMIT_MS = 4_500;

/** A terminal sends Ctrl-C to its whole process group, and npm passes it on once more: both are one signal. */
const ECHO_MS = 100;

export const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * Calls `hear` with each signal and how many there were with it. The first one again within 100 ms is its echo and is
 * not counted. The answer ends it.
 */
export function countSignals<Name extends NodeJS.Signals>(
  names: readonly Name[],
  hear: (name: Name, count: number) => void,
): () => void {
  let heard = 0;
  let echo: Name | undefined;
  const count = (name: Name) => {
    if (name === echo) return;
    heard += 1;
    if (heard === 1) {
      echo = name;
      // An echo that came in time while the stop held the event loop is heard before the immediate.
      setTimeout(() => setImmediate(() => (echo = undefined)), ECHO_MS).unref();
    }
    hear(name, heard);
  };
  const listeners = names.map((name) => ({ name, listen: () => count(name) }));
  for (const { name, listen } of listeners) process.on(name, listen);
  return () => {
    for (const { name, listen } of listeners) process.off(name, listen);
  };
}

/**
 * Resolves at the first SIGTERM or SIGINT. From then on a stop has its limit, after which the process ends with
 * exit code 0; a second signal ends it at once with exit code 1.
 */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    countSignals(STOP_SIGNALS, (_name, count) => {
      if (count > 1) process.exit(EXIT.failure);
      limitStop();
      resolve();
    });
  });
}

/** A stop has started: when its limit is over, the process ends with exit code 0. */
export function limitStop(): void {
  setTimeout(() => process.exit(EXIT.success), STOP_LIMIT_MS).unref();
}

/** What a stop may take; then the process ends with what it has. */
const CLOSE_LIMIT_MS = 4500;

/** Closes an emulator; one that takes longer does not hold the process. */
export async function closeInTime(emulator: { close(): Promise<void> }): Promise<void> {
  let limit: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    limit = setTimeout(() => {
      resolve();
      // The exit code is set by then, and whatever is still open must not hold the process.
      setTimeout(() => process.exit(), 100).unref();
    }, CLOSE_LIMIT_MS);
  });
  await Promise.race([emulator.close(), late]);
  clearTimeout(limit);
}
