// Preloaded into a process. When the process ends, it writes the longest hold of the event loop in milliseconds.
import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

const { LOOP_HOLD_FILE } = process.env;
if (isMainThread && LOOP_HOLD_FILE) {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  process.on('exit', () => writeFileSync(LOOP_HOLD_FILE, String(Math.round(delay.max / 1e6))));
}
