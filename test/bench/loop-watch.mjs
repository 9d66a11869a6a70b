// Loaded before the emulator by the bench of holds: tells its parent how long the event loop was held since it was last asked.
import { monitorEventLoopDelay } from 'node:perf_hooks';

const held = monitorEventLoopDelay({ resolution: 1 });
held.enable();
process.on('message', () => {
  // Nanoseconds; of what is measured one is the timer's own.
  const milliseconds = held.max / 1e6 - 1;
  held.reset();
  process.send({ milliseconds, rss: process.memoryUsage.rss() / 1_048_576 });
});
