import { didYouMeanText } from '../../base/text.ts';

export const VERDICT_FINDING_NAMES = [
  'retried_402',
  'ignored_retry_after',
  'paid_twice',
  'polled_too_often',
  'used_expired_url',
  'accepted_forgery',
  'slow_receiver',
  'lost_event',
  'uncollected_job',
  'paid_again',
] as const;

export type FindingName = (typeof VERDICT_FINDING_NAMES)[number];

export function unknownFindingCodeMessage(codes: readonly string[]): string | undefined {
  const unknown = codes.find((code) => !VERDICT_FINDING_NAMES.some((name) => name === code));
  if (unknown === undefined) return undefined;
  return `--allow is ${unknown.slice(0, 80)}, which is not a code of the verdict.${didYouMeanText(unknown, VERDICT_FINDING_NAMES)} Use one of: ${VERDICT_FINDING_NAMES.join(', ')}.`;
}
