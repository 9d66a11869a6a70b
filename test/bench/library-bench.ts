import type { VirtualClock } from '../../src/base/clock/virtual-clock.ts';
import type { Database } from '../../src/base/database/database.ts';
import type { Transaction } from '../../src/base/database/transaction.ts';
import { Random } from '../../src/base/random.ts';
import { Accounts } from '../../src/engine/accounts/accounts.ts';
import { entryUrls, listEntries } from '../../src/engine/library/library.ts';
import type { LibraryFilter } from '../../src/engine/library/library-search-store.ts';
import { addEntry } from '../../src/engine/library/library-store.ts';
import { seedUrlSecret, weekSigner } from '../../src/engine/storage/cdn-url.ts';
import { paidJob } from '../support/paid-job.ts';
import { atMost, type BenchRow, each, medianTime } from './bench-row.ts';
import { withDatabase } from './bench-server.ts';

const ENTRIES = 100_000;
const PAGE = 100;
const MEDIA = ['image', 'video', 'speech', 'music'] as const;
/** One entry in a thousand speaks of it. */
const RARE = 'lighthouse';

/** Pages of a large library, narrowed in every way, with both addresses of each entry signed. */
export function libraryBench(): Promise<BenchRow[]> {
  return withDatabase(async ({ database: db, clock }) => {
    const { accountId, middle } = await fill(db, clock);
    const since = Number(db.get<{ at: number }>('SELECT min(created) AS at FROM library')?.at);
    const filters: [string, LibraryFilter, string | undefined][] = [
      ['newest', {}, undefined],
      ['in the middle', {}, middle],
      ['of an account', { accountId }, middle],
      ['of a kind', { accountId, kind: 'speech' }, middle],
      ['of a model', { accountId, model: 'model-3' }, middle],
      ['with a rare word', { accountId, text: RARE }, undefined],
      ['with a common word', { accountId, text: 'pier' }, undefined],
      ['from its first days', { accountId, since, until: since + 2_000_000 }, undefined],
    ];
    return each(filters, async ([name, filter, after]) => {
      const ms = await medianTime(15, () => {
        const sign = weekSigner(db, clock.now());
        const page = listEntries(db, { ...filter, after, limit: PAGE });
        JSON.stringify(page.map((entry) => [entry, entryUrls(entry, sign)]));
        if (page.length !== PAGE) throw new Error(`a page of ${page.length} entries`);
      });
      return atMost(`page of ${PAGE} among ${ENTRIES / 1000},000 entries, ${name}, ms`, ms, 5, 2);
    });
  });
}

/** An entry a second, all of one account. */
async function fill(db: Database, clock: VirtualClock) {
  const random = new Random(1);
  const { account } = await new Accounts({ database: db, random }).open({ credits: 0 });
  await clock.set({ frozen: true });
  await db.transact((tx) => seedUrlSecret(tx, random));
  const ids: string[] = [];
  for (let n = 0; n < ENTRIES; n += 1000) {
    await clock.advance(1_000_000);
    await db.transact((tx) => {
      for (let at = n; at < n + 1000; at += 1) ids.push(add(tx, random, account.id, at));
    });
  }
  return { accountId: account.id, middle: ids[ENTRIES / 2] };
}

function add(tx: Transaction, random: Random, accountId: string, n: number): string {
  const place = n % 1000 === 7 ? RARE : 'harbour wall';
  const prompt = `Picture ${n}: an old pier by the ${place} in the rain, painted in oil, wide angle`;
  const medium = MEDIA[n % 4] ?? 'image';
  const model = `model-${n % 16}`;
  const job = paidJob(tx, random, {
    id: `job_${n}`,
    accountId,
    medium,
    model,
    seed: n,
    parameters: { prompt, negative_prompt: 'people', cfg_scale: 7, store: false },
    render: { kind: 'image', model, prompt, seed: n },
  });
  const file = { name: `${n}`.padStart(64, '0'), bytes: 1_000_000, contentType: 'image/png' };
  return addEntry(tx, { job, file });
}
