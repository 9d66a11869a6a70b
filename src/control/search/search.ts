import { TimeSlice } from '../../base/clock/clock.ts';
import type { SqlCondition } from '../../base/database/list-queries.ts';
import type { Journal } from '../../engine/journal/journal.ts';
import type { Context } from '../../service/http/context.ts';
import { parseSearch, type SearchQuery } from './search-query.ts';
import {
  countRows,
  createIsOrHasCondition,
  type FoundRecord,
  fieldConditions,
  findAccountIdsByText,
  findMatchingRows,
  MAX_ROWS_OUT_OF_ORDER,
  normalizeForComparison,
  oneOfCondition,
  RECORD_KINDS,
  type RecordKind,
  type SearchedWord,
  searchableTextsOfRequest,
  wordCondition,
} from './search-store.ts';

const MAX_READ = 1000;
const NOT_A_WORD = /^(?:.{1,2}|[^\p{L}]*)$/su;

interface SearchPage {
  kinds?: readonly RecordKind[];
  accountId?: string | undefined;
  after?: string | undefined;
  limit: number;
}

export async function findRecords(
  context: Context,
  q: string,
  { kinds = RECORD_KINDS, accountId, after, limit }: SearchPage,
): Promise<FoundRecord[]> {
  const { clock, database, records } = context;
  const query = parseSearch(q, clock.real());
  // SQL would end the word at a NUL, and find too much.
  if (query.words.some((word) => word.includes('\0'))) return [];
  const words = query.words.map((word) => ({ word, owners: findAccountIdsByText(database, word) }));
  const conditionsOf = searchConditions(context, query, words, accountId);
  const most = after === undefined ? limit : Number.POSITIVE_INFINITY;
  const found: FoundRecord[] = [];
  for (const kind of kinds) {
    const conditions = conditionsOf(kind);
    const rows =
      kind === 'request'
        ? await findRequests(records.journal, conditions, most)
        : findMatchingRows(database, kind, { conditions, marks: clock.marks, limit: most });
    for (const row of rows) found.push(row);
  }
  const since = query.after ?? Number.NEGATIVE_INFINITY;
  const recent = found.filter(({ at }) => at >= since).sort(newestFirst);
  const pieces = words.filter(({ word }) => NOT_A_WORD.test(word));
  const all = pieces.length === 0 ? recent : await withPieces(records.journal, recent, pieces);
  // If the record of `after` was removed, the page begins at the start.
  const first = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
  return all.slice(first, first + limit);
}

function searchConditions(
  { database, random }: Context,
  { traits, account, ...query }: SearchQuery,
  words: readonly SearchedWord[],
  accountId: string | undefined,
): (kind: RecordKind) => SqlCondition[] {
  const ofTraits = [...new Set(traits)].map((trait) => createIsOrHasCondition(database, random, trait));
  const owners = account === undefined ? [] : [oneOfCondition('account_id', findAccountIdsByText(database, account))];
  return (kind) => [
    ...(accountId === undefined ? [] : [oneOfCondition('account_id', [accountId])]),
    ...fieldConditions(kind, query),
    ...owners,
    ...ofTraits.map((ofTrait) => ofTrait(kind)),
    ...words.map((word) => wordCondition(kind, word)),
  ];
}

async function findRequests(
  journal: Journal,
  conditions: readonly SqlCondition[],
  limit: number,
): Promise<readonly FoundRecord[]> {
  const found: FoundRecord[] = [];
  for await (const rows of journal.matching(conditions)) {
    for (const row of rows) found.push({ kind: 'request', ...row });
    if (found.length > limit + MAX_ROWS_OUT_OF_ORDER) break;
  }
  return found;
}

/**
 * Removes requests that contain one of `pieces` only in the names of fields, which SQL finds too. Checks only the first
 * 1,000 records.
 */
async function withPieces(
  journal: Journal,
  found: readonly FoundRecord[],
  pieces: readonly SearchedWord[],
): Promise<FoundRecord[]> {
  const slice = new TimeSlice();
  const saying: FoundRecord[] = [];
  for (const [n, record] of found.entries()) {
    if (n >= MAX_READ || record.kind !== 'request' || contains(journal, record, pieces)) saying.push(record);
    if (slice.isOver) await slice.turn();
  }
  return saying;
}

function contains(journal: Journal, { id, accountId }: FoundRecord, pieces: readonly SearchedWord[]): boolean {
  const entry = journal.find(id);
  const text = entry === undefined ? '' : Object.values(searchableTextsOfRequest(entry)).join('\n');
  return pieces.every(
    ({ word, owners }) => text.includes(normalizeForComparison(word)) || owners.includes(accountId ?? ''),
  );
}

export function countRecordsByKind({ database, records: { journal } }: Context): Record<RecordKind, number> {
  const count = (kind: RecordKind) => (kind === 'request' ? journal.count() : countRows(database, kind));
  return Object.fromEntries(RECORD_KINDS.map((kind) => [kind, count(kind)])) as Record<RecordKind, number>;
}

function newestFirst(a: FoundRecord, b: FoundRecord): number {
  return b.at - a.at || RECORD_KINDS.indexOf(a.kind) - RECORD_KINDS.indexOf(b.kind) || b.position - a.position;
}
