import { formatNumber } from '../pieces/credits.tsx';
import { lengthOfTime } from '../pieces/relative-time.tsx';
import type { Tone } from '../pieces/status-badge.tsx';
import type { FaultEffect, FaultMatch, FaultRecord, StreamSpoiling } from './fault-records.ts';

export const WEBHOOK_TEXTS: Record<string, string> = {
  late: 'Delivers late',
  duplicate: 'Delivers twice',
  reorder: 'Delivers out of order',
  bad_signature: 'Signs the delivery wrongly',
  old_timestamp: 'Signs with an old timestamp',
  drop: 'Loses the delivery',
};

export const CRASH_TEXTS: Record<string, string> = {
  after_charge: 'After the charge',
  after_work: 'After the work',
  after_settle: 'After the settling',
  before_delivery: 'Before the delivery',
};

/** What a rule does, as a sentence without its end. */
export function effectText(effect: FaultEffect): string {
  const { status, code, retry_after: retry, delay_ms: delay, fail_job: failure } = effect;
  if (status !== undefined) {
    const wait = retry === undefined ? '' : `, retry after ${retry} s`;
    return `Answers ${[status, code].filter(Boolean).join(' ')}${wait}`;
  }
  if (delay !== undefined) return `Waits ${formatNumber(delay)} ms`;
  if (effect.drop) return 'Resets the connection';
  if (failure !== undefined) return `Fails the work with ${failure}`;
  if (effect.stream) return streamText(effect.stream);
  if (effect.webhook) return WEBHOOK_TEXTS[effect.webhook] ?? effect.webhook;
  return `Ends the process ${(CRASH_TEXTS[effect.crash ?? ''] ?? '').toLowerCase()}`;
}

function streamText(stream: StreamSpoiling): string {
  const { ttft_ms: first, interval_ms: interval, cut_after: cut, malformed_at: broken } = stream;
  const parts = [
    first && `begins after ${formatNumber(first)} ms`,
    interval && `waits ${formatNumber(interval)} ms between events`,
    broken && `breaks event ${broken}`,
    cut && `dies after ${cut} ${cut === 1 ? 'event' : 'events'}`,
    stream.omit_done && 'never says [DONE]',
  ];
  return `Stream ${parts.filter(Boolean).join(', ')}`;
}

/** Which requests a rule means; `accountId` is whose page this is. */
export function matchText({ path, model, contains, account_id }: FaultMatch, accountId?: string) {
  const whose = account_id === accountId ? 'this account' : account_id;
  const parts = [
    path,
    model,
    contains === undefined ? undefined : `with “${contains}”`,
    account_id === undefined ? undefined : `of ${whose}`,
  ];
  return parts.filter(Boolean).join(' ') || 'every request';
}

/** `2 of 3`; `5, no end`. */
export function strikesText({ strikes, times }: FaultRecord): string {
  return times === 0 ? `${formatNumber(strikes)}, no end` : `${strikes} of ${times}`;
}

/** What a rule still does. */
export function stateOf(rule: FaultRecord, now: number): { text: string; tone: Tone } {
  const { expires, remaining } = rule;
  if (remaining === 0) return { text: 'used up', tone: 'plain' };
  if (expires !== null && expires <= now) return { text: 'expired', tone: 'plain' };
  if (expires !== null) return { text: `${lengthOfTime(expires - now)} left`, tone: 'wait' };
  return { text: 'armed', tone: 'wait' };
}
