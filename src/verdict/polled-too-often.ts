import type { Seen } from './evidence.ts';
import type { Case, Finding } from './finding.ts';

/** So many reads of one job within so many milliseconds are no fault yet. */
const MOST_READS = 20;
const WINDOW = 1000;

/** One unfinished job was read more than 20 times within a second. */
export const polledTooOften: Finding = {
  name: 'polled_too_often',
  remedy: 'Wait between two reads of a job, a second at least and longer each time, or let a webhook tell of its end.',
  find({ requests }) {
    const reads = new Map<string, Seen[]>();
    for (const each of requests) {
      if (each.openJob === undefined) continue;
      const ofJob = reads.get(each.openJob);
      if (ofJob) ofJob.push(each);
      else reads.set(each.openJob, [each]);
    }
    return [...reads].flatMap(([job, ofJob]) => crowdOf(job, ofJob));
  },
};

/** The first second that has too many; answers may be on record in another order than the requests came. */
function crowdOf(job: string, reads: readonly Seen[]): Case[] {
  const sorted = reads.toSorted((a, b) => a.began - b.began);
  const at = sorted.findIndex((first, place) => {
    const last = sorted[place + MOST_READS];
    return last !== undefined && last.began - first.began < WINDOW;
  });
  const first = sorted[at];
  if (!first) return [];
  const crowd = sorted.slice(at).filter(({ began }) => began - first.began < WINDOW);
  const message = `${job} was read ${crowd.length} times within a second, and was not final yet.`;
  return [{ accountId: first.accountId, message, requests: crowd.map(({ id }) => id) }];
}
