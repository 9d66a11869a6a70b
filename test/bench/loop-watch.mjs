// Loaded before the emulator by the bench of holds: tells its parent how long the event loop was held since it was last asked.
import { monitorEventLoopDelay } from 'node:perf_hooks';

const held = monitorEventLoopDelay({ resolution: 1 });
held.enable();
let peak = 0;
setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss());
}, 20).unref();
process.on('message', () => {
  // Nanoseconds; of what is measured one is the timer's own.
  const milliseconds = held.max / 1e6 - 1;
  const rss = process.memoryUsage.rss();
  process.send({ milliseconds, rss: rss / 1_048_576, peak: Math.max(peak, rss) / 1_048_576 });
  held.reset();
  peak = rss;
});
