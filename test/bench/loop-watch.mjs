// Loaded before the emulator by the bench of holds: reports to its parent how long the event loop was held since it was last asked.
import { openSync, readSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** A delay is known at the second beat after it: what is asked for earlier, or comes sooner after a reset, is not in it. */
const BEATS_MS = 5;

const held = monitorEventLoopDelay({ resolution: 1 });
held.enable();
let peak = 0;
setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss());
}, 20).unref();
const processorTime = process.platform === 'linux' ? threadTime() : () => Number.NaN;
let last = processorTime();
let longest = 0;
setInterval(() => {
  const now = processorTime();
  longest = Math.max(longest, now - last);
  last = now;
}, 1).unref();
process.on('message', () => setTimeout(report, BEATS_MS));

/** Milliseconds that this thread has run: what other processes take meanwhile is not in it. */
function threadTime() {
  const file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  const text = Buffer.alloc(64);
  return () => Number(text.toString('latin1', 0, readSync(file, text, 0, 64, 0)).split(' ', 1)[0]) / 1e6;
}

function report() {
  // Nanoseconds; of what is measured one is the timer's own.
  const milliseconds = held.max / 1e6 - 1;
  const rss = process.memoryUsage.rss();
  const seen = { milliseconds, processor: longest, rss: rss / 1_048_576, peak: Math.max(peak, rss) / 1_048_576 };
  held.reset();
  peak = rss;
  longest = 0;
  setTimeout(() => process.send(seen), BEATS_MS);
}
