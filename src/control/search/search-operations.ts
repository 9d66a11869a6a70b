import { z } from 'zod';
import { Slice } from '../../base/clock/clock.ts';
import { withDefault } from '../../base/schemas.ts';
import { capital, counted } from '../../base/text.ts';
import type { Context } from '../../service/http/context.ts';
import { get } from '../control-operation.ts';
import type { PaidEntry } from '../ledger.ts';
import { accountPageQuery } from '../list-page.ts';
import { findRoot, readOrder } from '../orders/stored-orders.ts';
import { parseSearch } from './search-query.ts';
import { comparableText, type FoundRecord, KINDS, requestText, rowText } from './search-store.ts';

const STANDARD_FOUND = 100;

export const searchRecord = get('search', '/_emulator/search', {
  summary: 'Finds requests, jobs, events, deliveries, runs and ledger entries, newest first.',
  query: accountPageQuery.extend({
    q: withDefault(z.string().max(1000), '').describe(
      'words, ids or id prefixes, and search terms: status:402, model:, account:, path:, is:failed, has:refund, took:>1s, after:10:30.',
    ),
  }),
  answer: z.strictObject({
    object: z.literal('list'),
    data: z.array(
      z.strictObject({
        object: z.enum([...KINDS, 'entry']),
        id: z.string(),
        account_id: z.string().nullable(),
        says: z.string(),
        /** A restore discarded the state of its request. */
        discarded: z.literal(true).optional(),
      }),
    ),
    searched: z.strictObject({ request: z.int(), job: z.int(), event: z.int(), delivery: z.int(), run: z.int() }),
    nearest: z.array(z.strictObject({ q: z.string(), found: z.int() })),
    took_ms: z.number(),
  }),
  async handle({ context, query }) {
    const { q, account_id: accountId, after, limit = STANDARD_FOUND } = query;
    const { clock } = context;
    const { search, journal } = context.records;
    const started = clock.real();
    const { found, searched, nearest } = await search.find(q, { accountId, after, limit });
    const sentences = await foundSentences(context, found, q);
    const data = found.map(({ kind, id, accountId: owner }) => {
      const discarded = kind === 'request' ? journal.isDiscarded(id) : undefined;
      return { object: kind, id, account_id: owner, says: sentences.get(id) ?? '', discarded };
    });
    const entries = after === undefined ? entriesNamed(context, q, found) : [];
    const took_ms = clock.real() - started;
    return { object: 'list' as const, data: [...entries, ...data].slice(0, limit), searched, nearest, took_ms };
  },
});

function entriesNamed(context: Context, q: string, found: readonly FoundRecord[]) {
  const ids = found.map(({ id }) => id);
  const wanted = /^le_\w+$/.test(q.trim()) ? [q.trim()] : ids.filter((id) => id.startsWith('req_')).slice(0, 10);
  const seen = new Set<string>();
  return wanted.flatMap((id) => {
    const root = findRoot(context, id);
    if (!root) return [];
    const { entries } = readOrder(context, root, { reads: false });
    const fresh = entries.filter((entry) => !seen.has(entry.id) && seen.add(entry.id));
    return fresh.map((entry) => ({
      object: 'entry' as const,
      id: entry.id,
      account_id: entry.accountId,
      says: sentenceOf(entry),
    }));
  });
}

function sentenceOf({ type, id, amount, operation: work }: PaidEntry): string {
  const what = type === 'top_up' ? 'Top-up' : type[0]?.toUpperCase() + type.slice(1);
  return `${what} ${id} of ${counted(Math.abs(amount), 'credit')}${work ? ` for ${work}` : ''}.`;
}

/** Reads records in slices, as a search does. */
async function foundSentences(
  context: Context,
  found: readonly FoundRecord[],
  q: string,
): Promise<Map<string, string>> {
  const sentences = new Map<string, string>();
  const words = parseSearch(q, 0).words.map(comparableText);
  const slice = new Slice();
  for (const record of found) {
    const said = foundTextOf(context, record);
    if (said) sentences.set(record.id, foundSentence(said, words));
    if (slice.isOver) await slice.turn();
  }
  return sentences;
}

interface FoundText {
  head: string;
  text: string;
}

function foundTextOf({ database, records: { journal } }: Context, { kind, id }: FoundRecord): FoundText | undefined {
  if (kind !== 'request') {
    const row = rowText(database, kind, id);
    return row && { head: `${capital(kind)} ${id}${row.model === null ? '' : ` by ${row.model}`}`, text: row.text };
  }
  const entry = journal.find(id);
  if (!entry) return undefined;
  const { path, status, model } = entry;
  const by = model === undefined ? '' : ` by ${model}`;
  return { head: `Request ${id} of ${path}${by}, answered ${status}`, text: requestText(entry) };
}

const AROUND = 50;
const MOST_PIECES = 3;

/** The sentence contains the words that were found [I266]. */
function foundSentence({ head, text }: FoundText, words: readonly string[]): string {
  const pieces: string[] = [];
  for (const word of words.filter((each) => !head.includes(each))) {
    if (pieces.length === MOST_PIECES || pieces.some((piece) => piece.includes(word))) continue;
    const piece = pieceAround(text, word);
    if (piece !== undefined) pieces.push(piece);
  }
  return `${[head, ...pieces.map((piece) => `“${piece}”`)].join(': ')}.`;
}

/** Returns the words around a match in its line; undefined without a match. */
function pieceAround(text: string, word: string): string | undefined {
  const at = text.indexOf(word);
  if (at === -1) return undefined;
  const lineStart = text.lastIndexOf('\n', at) + 1;
  const lineEnd = text.indexOf('\n', at + word.length);
  const end = lineEnd === -1 ? text.length : lineEnd;
  const from = Math.max(lineStart, at - AROUND);
  const to = Math.min(end, at + word.length + AROUND);
  const piece = text.slice(from, to).toWellFormed().replace(/\s/g, ' ').trim();
  return `${from > lineStart ? '…' : ''}${piece}${to < end ? '…' : ''}`;
}
