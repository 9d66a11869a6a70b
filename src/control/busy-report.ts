import type { Context } from '../http/context.ts';
import { countOpenJobs } from '../jobs/progression-store.ts';

/** All that keeps the emulator, or one account, from being idle. */
const UNREST: readonly {
  one: string;
  many: string;
  count(context: Context, accountId: string | undefined): number;
}[] = [
  { one: 'open job', many: 'open jobs', count: ({ database }, accountId) => countOpenJobs(database, accountId) },
  { one: 'running run', many: 'running runs', count: ({ flows }, accountId) => flows.running(accountId) },
  {
    one: 'held request or answer',
    many: 'held requests and answers',
    count: ({ faults }, accountId) => faults.holds.pending(accountId),
  },
  {
    one: 'delivery due or in flight',
    many: 'deliveries due or in flight',
    count: ({ webhooks }, accountId) => webhooks.pending(accountId),
  },
];

/** What there still is to be done, such as `2 open jobs`; nothing when all is idle. */
export function busyWith(context: Context, accountId: string | undefined): string[] {
  return UNREST.flatMap(({ one, many, count }) => {
    const n = count(context, accountId);
    return n === 0 ? [] : [`${n} ${n === 1 ? one : many}`];
  });
}
