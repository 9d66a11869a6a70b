import { z } from 'zod';
import { TimeSlice } from '../../base/clock/clock.ts';
import { withDefault } from '../../base/schemas.ts';
import type { Context } from '../../service/http/context.ts';
import { defineGet } from '../control-operation.ts';
import { findOrderRoot, readOrderRecords } from '../orders/stored-orders.ts';
import { accountPageQuerySchema } from '../resource.ts';
import { countRecordsByKind, findRecords } from './search.ts';
import { parseSearch } from './search-query.ts';
import {
  type FoundRecord,
  findAccountIdsByText,
  normalizeForComparison,
  RECORD_KINDS,
  searchableTextsOfRequest,
  searchableTextsOfRow,
} from './search-store.ts';

const STANDARD_FOUND = 100;

export const searchRecords = defineGet('search', '/_emulator/search', {
  summary: 'Finds requests, jobs, events, deliveries, runs and ledger entries, newest first.',
  query: accountPageQuerySchema.extend({
    q: withDefault(z.string().max(1000), '').describe(
      'words, ids or id prefixes, and search terms: status:402, model:, account:, path:, is:failed, has:refund, took:>1s, after:10:30.',
    ),
  }),
  answer: z.strictObject({
    object: z.literal('list'),
    data: z.array(
      z.strictObject({
        object: z.enum([...RECORD_KINDS, 'entry']),
        id: z.string(),
        account_id: z.string().nullable(),
        fields: z.array(z.string()),
      }),
    ),
    searched: z.strictObject({ request: z.int(), job: z.int(), event: z.int(), delivery: z.int(), run: z.int() }),
    took_ms: z.number(),
  }),
  async handle({ context, query }) {
    const { q, account_id: accountId, after, limit = STANDARD_FOUND } = query;
    const { clock } = context;
    const started = clock.real();
    const found = await findRecords(context, q, { accountId, after, limit });
    const entries = after === undefined ? entriesNamed(context, q, found) : [];
    const data = [...entries, ...(await withFields(context, q, found))].slice(0, limit);
    return { object: 'list' as const, data, searched: countRecordsByKind(context), took_ms: clock.real() - started };
  },
});

function entriesNamed(context: Context, q: string, found: readonly FoundRecord[]) {
  const named = q.trim();
  const ids = found.map(({ id }) => id);
  const wanted = /^le_\w+$/.test(named) ? [named] : ids.filter((id) => id.startsWith('req_')).slice(0, 10);
  const entries = wanted.flatMap((id) => {
    const root = findOrderRoot(context, id);
    return root ? readOrderRecords(context, root, { reads: false }).entries : [];
  });
  return [...new Map(entries.map((entry) => [entry.id, entry])).values()].map(({ id, accountId }) => {
    return { object: 'entry' as const, id, account_id: accountId, fields: id === named ? ['id'] : [] };
  });
}

async function withFields(context: Context, q: string, found: readonly FoundRecord[]) {
  const { database, clock } = context;
  const { journal } = context.records;
  const words = parseSearch(q, clock.real()).words.map(normalizeForComparison);
  const named = new Set(words.flatMap((word) => findAccountIdsByText(database, word)));
  const slice = new TimeSlice();
  const data = [];
  for (const { kind, id, accountId: account_id } of found) {
    const entry = kind === 'request' ? journal.find(id) : undefined;
    const texts =
      kind === 'request' ? entry && searchableTextsOfRequest(entry) : searchableTextsOfRow(database, kind, id);
    const fields = Object.entries(texts ?? {}).flatMap(([name, text]) =>
      words.some((word) => text.includes(word)) ? [name] : [],
    );
    if (named.has(account_id ?? '')) fields.push('account');
    data.push({ object: kind, id, account_id, fields });
    if (slice.isOver) await slice.turn();
  }
  return data;
}
