// The benches preload this into the emulator. It reports the longest hold of the event loop since the last report.
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** The histogram contains a delay only two timer ticks later, so wait before each read and after each reset. */
const BEATS_MS = 5;

const held = monitorEventLoopDelay({ resolution: 1 });
held.enable();
process.on('message', () => setTimeout(report, BEATS_MS));

function report() {
  // `max` is in nanoseconds, and includes the interval of the timer, which is 1 ms.
  const milliseconds = held.max / 1e6 - 1;
  const seen = { milliseconds, rss: process.memoryUsage.rss() / 1_048_576 };
  held.reset();
  setTimeout(() => process.send(seen), BEATS_MS);
}
