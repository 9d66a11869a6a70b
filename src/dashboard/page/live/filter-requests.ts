import type { RequestLine } from '../data/records.ts';

export interface RequestFilter {
  text: string;
  /** `all`, `ok`, `failed` or `warned`. */
  outcome: string;
  accountId: string | undefined;
}

/** The requests that fit, in their order. */
export function filterRequests(
  rows: readonly RequestLine[],
  { text, outcome, accountId }: RequestFilter,
): readonly RequestLine[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0 && outcome === 'all' && accountId === undefined) return rows;
  return rows.filter(
    (row) =>
      isOf(row, outcome) &&
      (accountId === undefined || row.account_id === accountId) &&
      words.every((word) => textOf(row).includes(word)),
  );
}

export function hasFailed({ status }: RequestLine): boolean {
  return status === 0 || status >= 400;
}

/** Something was ignored, or the client had tried before. */
export function isOdd({ warnings, dropped, fault, retry_count }: RequestLine): boolean {
  return warnings !== null || dropped !== null || fault !== null || retry_count > 0;
}

function isOf(row: RequestLine, outcome: string): boolean {
  if (outcome === 'ok') return !hasFailed(row);
  if (outcome === 'failed') return hasFailed(row);
  return outcome === 'all' || isOdd(row);
}

function textOf(row: RequestLine) {
  const { id, method, path, operation, status, error, warnings, job_ids, key_id, fault } = row;
  return `${id} ${key_id} ${fault} ${method} ${path} ${operation} ${status} ${error} ${warnings} ${job_ids.join(' ')}`.toLowerCase();
}
