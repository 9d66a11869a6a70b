import { z } from 'zod';
import { Slice } from '../../base/clock/clock.ts';
import { counted } from '../../base/text.ts';
import type { Context } from '../../service/http/context.ts';
import { withDefault } from '../../service/http/input.ts';
import { get } from '../control-operation.ts';
import { accountPageQuery } from '../list-page.ts';
import { findRoot, readOrder } from '../orders/order-records.ts';
import { StoredOrders } from '../orders/stored-orders.ts';
import type { PaidEntry } from '../paid-entry.ts';
import { type FoundDoc, KINDS, type SaidDoc } from './indexed-text.ts';
import type { SearchDocs } from './search-docs-store.ts';
import { parseSearch } from './search-query.ts';

const STANDARD_FOUND = 100;

export const searchRecord = get('search', '/_emulator/search', {
  summary: 'Requests, jobs, events, deliveries, runs and ledger entries that fit, newest first.',
  query: accountPageQuery.extend({
    q: withDefault(z.string().max(1000), '').describe(
      'words, ids or their beginnings, and tokens: status:402, model:, account:, path:, is:failed, has:refund, took:>1s, after:10:30.',
    ),
  }),
  answer: z.strictObject({
    object: z.literal('list'),
    data: z.array(
      z.strictObject({
        object: z.enum([...KINDS, 'entry']),
        id: z.string(),
        account_id: z.string().nullable(),
        /** What it is, with the words by which it was found. */
        says: z.string(),
        /** Of a request of a future that a restore has discarded. */
        discarded: z.literal(true).optional(),
      }),
    ),
    searched: z.strictObject({ request: z.int(), job: z.int(), event: z.int(), delivery: z.int(), run: z.int() }),
    nearest: z.array(z.strictObject({ q: z.string(), found: z.int() })),
    took_ms: z.number(),
  }),
  async handle({ context, query }) {
    const { q, account_id: accountId, after, limit = STANDARD_FOUND } = query;
    const { search, clock, journal } = context;
    await search.ready();
    const started = clock.real();
    const { found, searched, nearest } = await search.find(q, { accountId, after, limit });
    const sentences = await foundSentences(search.docs, found, q);
    const data = found.map(({ kind, id, accountId: owner }) => {
      const discarded = kind === 'request' ? journal.isDiscarded(id) : undefined;
      return { object: kind, id, account_id: owner, says: sentences.get(id) ?? '', discarded };
    });
    const entries =
      after === undefined
        ? entriesNamed(
            context,
            q,
            data.map(({ id }) => id),
          )
        : [];
    const took_ms = clock.real() - started;
    return { object: 'list' as const, data: [...entries, ...data].slice(0, limit), searched, nearest, took_ms };
  },
});

/** Ledger entries of what was asked for by id, and of the first requests that were found. */
function entriesNamed(context: Context, q: string, ids: readonly string[]) {
  const wanted = /^le_\w+$/.test(q.trim()) ? [q.trim()] : ids.filter((id) => id.startsWith('req_')).slice(0, 10);
  const seen = new Set<string>();
  const orders = new StoredOrders(context);
  return wanted.flatMap((id) => {
    const root = findRoot(orders, id);
    if (!root) return [];
    const { entries } = readOrder(orders, root, { reads: false });
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

/** Of how many records the texts are read at once. */
const AT_ONCE = 100;

/** A sentence about each of what was found for `q`, by its id; read in slices, as a search is. */
async function foundSentences(docs: SearchDocs, found: readonly FoundDoc[], q: string): Promise<Map<string, string>> {
  const sentences = new Map<string, string>();
  const slice = new Slice();
  for (let from = 0; from < found.length; from += AT_ONCE) {
    const ids = found.slice(from, from + AT_ONCE).map(({ id }) => id);
    for (const doc of docs.texts(ids)) sentences.set(doc.id, foundSentence(doc, q));
    await slice.turn();
  }
  return sentences;
}

/** So many characters are shown on either side of a word. */
const AROUND = 50;
const MOST_PIECES = 3;

/** One sentence about a record, with the words by which it was found [I266]. */
function foundSentence(doc: SaidDoc, q: string): string {
  const head = headOf(doc);
  const { words } = parseSearch(q, 0);
  const wanted = words.map((word) => word.toLowerCase().normalize('NFC')).filter((word) => !head.includes(word));
  const pieces: string[] = [];
  for (const word of wanted) {
    if (pieces.length === MOST_PIECES || pieces.some((piece) => piece.includes(word))) continue;
    const piece = pieceAround(doc.text, word);
    if (piece !== undefined) pieces.push(piece);
  }
  return `${[head, ...pieces.map((piece) => `“${piece}”`)].join(': ')}.`;
}

function headOf({ kind, id, status, model, path }: SaidDoc): string {
  const parts = [
    path === null ? '' : ` of ${path}`,
    model === null ? '' : ` by ${model}`,
    status === null ? '' : `, answered ${status}`,
  ];
  return `${kind[0]?.toUpperCase()}${kind.slice(1)} ${id}${parts.join('')}`;
}

/** The words around one, of its own line; undefined where the text has it not. */
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
