import { EXIT } from './command-failure.ts';

/** The longest that a stop may take; what still runs then is resumed or refunded at the next start. */
const STOP_LIMIT_MS = 4_500;

export const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * Resolves at the first SIGTERM or SIGINT. From then on a stop has its limit, after which the process ends with
 * exit code 0; a second signal ends it at once with exit code 1.
 */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    const first = () => {
      for (const name of STOP_SIGNALS) process.off(name, first).on(name, endNow);
      limitStop();
      resolve();
    };
    for (const name of STOP_SIGNALS) process.on(name, first);
  });
}

/** A stop has begun: when its limit is over, the process ends with exit code 0. */
export function limitStop(): void {
  setTimeout(() => process.exit(EXIT.success), STOP_LIMIT_MS).unref();
}

function endNow(): never {
  process.exit(EXIT.failure);
}
