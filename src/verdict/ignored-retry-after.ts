import type { Seen } from './evidence.ts';
import { caseOf, earlierTries, type Finding, repetitions } from './finding.ts';

/** Clocks of two machines, and of two cores, are not the same to the millisecond. */
const TOLERANCE = 50;

/** The same request came again before the time that the answer to the first had named. */
export const ignoredRetryAfter: Finding = {
  name: 'ignored_retry_after',
  remedy:
    'Read the Retry-After header of a 429 or 503 and wait so many seconds before the next try; the official clients do so by themselves.',
  find({ alike, requests }) {
    const repeated = alike.flatMap((group) => caseOf(repetitions(group, isAskedToWait).filter(isTooEarly), tell));
    const known = new Set(repeated.flatMap((each) => each.requests));
    const declared = declaredRetries(requests).filter((pair) => pair.some(({ id }) => !known.has(id)));
    return [...repeated, ...declared.flatMap((pair) => caseOf([pair], tell))];
  },
};

function isAskedToWait({ retryAfter = 0 }: Seen): boolean {
  return retryAfter > 0;
}

function tell({ method, path, retryAfter }: Seen): string {
  return `${method} ${path} was asked to come again after ${retryAfter} s and came sooner.`;
}

/**
 * A limit is checked before a body is read, so whether two bodies are alike is unknown. But where the client says of
 * itself that it tries again, and whatever it could mean was asked to wait longer, it has not waited.
 */
function declaredRetries(requests: readonly Seen[]): [Seen, Seen][] {
  return requests.flatMap((again, at): [Seen, Seen][] => {
    if (again.retryCount === 0) return [];
    const earlier = earlierTries(requests, at, again).filter(
      (each) => isOfOneKind(each, again) && again.began - each.ended < HOUR,
    );
    const last = earlier.at(-1);
    const hasNotWaited = earlier.every((each) => isAskedToWait(each) && isTooEarly([each, again]));
    return last && hasNotWaited ? [[last, again]] : [];
  });
}

const HOUR = 3_600_000;

function isOfOneKind(first: Seen, again: Seen): boolean {
  return first.accountId === again.accountId && first.method === again.method && first.path === again.path;
}

/** Too early by both clocks: a test that moved the emulator's clock has let the time pass. */
function isTooEarly([first, next]: [Seen, Seen]): boolean {
  const wanted = (first.retryAfter ?? 0) * 1000 - TOLERANCE;
  const answered = first.received + (first.ended - first.began);
  return next.began - first.ended < wanted && next.received - answered < wanted;
}
