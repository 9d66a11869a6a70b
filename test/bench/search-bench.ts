import path from 'node:path';
import type { VirtualClock } from '../../src/base/clock/virtual-clock.ts';
import { Random } from '../../src/base/random.ts';
import { Search } from '../../src/control/search/search.ts';
import { Journal } from '../../src/engine/journal/journal.ts';
import { atMost, type BenchRow, each, medianTime } from './bench-row.ts';
import { withDatabase } from './bench-server.ts';

/** As many requests as the journal keeps. */
const REQUESTS = 10_000;

/** Frequent, rare, absent and short words, other scripts, and tokens, alone and together. */
const SEARCHES = [
  'lantern',
  'harbour-7777',
  'zeppelin',
  'ランプ',
  'ンプ',
  'qz',
  'status:402',
  'lantern status:402',
  'is:failed',
  'has:refund',
  'model:motion took:>1s',
  'req_',
];

/** How long a search over a full record takes, the slowest kind of it. */
export function searchBench(): Promise<BenchRow[]> {
  return withDatabase(async ({ database, clock, folder }) => {
    const random = new Random(1);
    const journal = openJournal(folder, clock, random);
    const search = new Search({ clock, journal, database, random });
    const times = await each(SEARCHES, async (q) => ({
      q,
      ms: await medianTime(9, () => search.find(q, { limit: 100 })),
    }));
    journal.close();
    const slowest = times.reduce((worst, one) => (one.ms > worst.ms ? one : worst));
    const name = `search of ${REQUESTS} requests, ms, the slowest of ${SEARCHES.length} ("${slowest.q}")`;
    return [atMost(name, slowest.ms, 50)];
  });
}

function onError(error: unknown): never {
  throw error;
}

function openJournal(folder: string, clock: VirtualClock, random: Random): Journal {
  const file = path.join(folder, 'journal.db');
  const journal = new Journal({ clock, limit: REQUESTS, file, onError });
  for (let n = 1; n <= REQUESTS; n += 1) record(journal, random.requestIds.next(), n);
  return journal;
}

/** A request like those of an application: every third about a lantern, every hundredth refused. */
function record(journal: Journal, id: string, n: number): void {
  const isPoor = n % 100 === 0;
  const subject = n % 3 === 0 ? 'a brass lantern' : n % 1000 === 1 ? 'ランプ' : 'a quiet morning';
  const request = JSON.stringify({ model: 'svc-motion-one', prompt: `${subject} at harbour-${n}, in the rain` });
  const error = { error: { code: 'insufficient_credits', message: 'A clip costs 60, the balance is 38.' } };
  const facts = {
    id,
    account_id: `acct_${n % 200}`,
    key_id: null,
    method: 'POST',
    path: '/v1/videos/generations',
    operation: 'createVideo',
    status: isPoor ? 402 : 202,
    created: n,
    began: 1_900_000_000_000 + n * 7,
    duration_ms: n % 1500,
    retry_count: 0,
    credits: isPoor ? null : 60,
    charges: [],
    job_ids: [],
  };
  const job = { status: 'queued', id: `job_${n.toString(16).padStart(24, '0')}` };
  const bodies = { request, answer: JSON.stringify(isPoor ? error : job) };
  journal.note({ generation: journal.generation, record: () => ({ facts, bodies }) });
}
