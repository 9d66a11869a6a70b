import { type Clock, pause } from '../clock/clock.ts';
import type { RunContext } from './run-context.ts';
import type { JobRow } from './run-record.ts';

const LOOK_AGAIN_MS = 10;
/** How long an order may take to have all its takes. */
const GATHER_MS = 15;

/** Ends the takes of each order by hand, the last one first, as long as the run goes on. */
export function endReversed(context: RunContext, clock: Clock): { ready: Promise<unknown>; stop(): Promise<void> } {
  const { control, scope } = context;
  const mode = { mode: 'manual', ...(scope === undefined ? {} : { account_id: scope }) };
  const over = new AbortController();
  const ready = control.put('/progression', mode);
  const work = async () => {
    await ready;
    while (!over.signal.aborted) {
      const jobs = await control.list<JobRow>('/jobs', { account_id: scope });
      const open = jobs.filter(({ status }) => status === 'queued' || status === 'processing');
      if (open.length > 0) await pause(clock, GATHER_MS);
      // The list is the newest first.
      for (const { id } of open)
        await control.post(`/jobs/${id}/finish`, { outcome: 'succeeded' }).catch(() => undefined);
      await pause(clock, LOOK_AGAIN_MS);
    }
  };
  const done = work();
  return {
    ready,
    async stop() {
      over.abort();
      await done;
    },
  };
}
