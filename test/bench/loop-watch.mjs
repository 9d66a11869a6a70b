// Loaded before the emulator by the benches of holds and of scale: reports to its parent how long the event loop was held since it was last asked.
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** A delay is known at the second beat after it: what is asked for earlier, or comes sooner after a reset, is not in it. */
const BEATS_MS = 5;

const held = monitorEventLoopDelay({ resolution: 1 });
held.enable();
process.on('message', () => setTimeout(report, BEATS_MS));

function report() {
  // Nanoseconds; of what is measured one is the timer's own.
  const milliseconds = held.max / 1e6 - 1;
  const seen = { milliseconds, rss: process.memoryUsage.rss() / 1_048_576 };
  held.reset();
  setTimeout(() => process.send(seen), BEATS_MS);
}
