import { requestName } from './number-requests.ts';
import type { Run } from './run-record.ts';

interface Line {
  at: number;
  text: string;
}

/** What happened in a run, in the order of time, a line each: requests with their answers, deliveries with theirs. */
export function trailOf({ record, began }: Run): string[] {
  const requests = record.requests.map(
    ({ received_at, method, path, status, credits, cut, retry_count }): Line => ({
      at: Date.parse(received_at),
      text: `${requestName({ method, path })} -> ${answerText(status, cut)}${credits ? `, ${credits} credits` : ''}${retry_count ? `, retry ${retry_count}` : ''}`,
    }),
  );
  const deliveries = record.deliveries.map(
    ({ attempted_at, type, fault, response_status, error }): Line => ({
      at: attempted_at === null ? Number.POSITIVE_INFINITY : Date.parse(attempted_at),
      text: `delivery ${type}${fault ? ` (${fault})` : ''} -> ${response_status ?? error ?? 'never sent'}`,
    }),
  );
  return [...requests, ...deliveries]
    .sort((a, b) => a.at - b.at)
    .map(({ at, text }) =>
      Number.isFinite(at)
        ? `${String(Math.max(0, Math.round(at - began))).padStart(6)} ms  ${text}`
        : `       -   ${text}`,
    );
}

function answerText(status: number, cut: boolean | undefined): string {
  if (status === 0) return 'connection reset';
  return cut ? `${status}, but the connection was over before the answer was` : String(status);
}
