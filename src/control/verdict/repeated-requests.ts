import { wasCredited } from '../../engine/ledger/entry-store.ts';
import type { Finding, Search, Seen } from './evidence.ts';

export type Pair = readonly [Seen, Seen];

/** The same request came again after a 402 although there was no more to pay with than before. */
export const retried402: Finding = {
  name: 'retried_402',
  remedy:
    'Do not send a request again that was answered 402: it cannot succeed before there are more credits. Tell whoever pays, top up, and only then repeat it.',
  *find({ emulator, alike }) {
    const wasPaid = ({ accountId, received }: Seen, to: number) =>
      wasCredited(emulator.database, accountId, { from: received, to });
    for (const group of alike) {
      const repeated = yield* repetitions(group, ({ status }) => status === 402);
      const pairs = repeated.filter(([first, next]) => isVain(first, next, wasPaid));
      yield* caseOf(
        pairs,
        ({ method, path }) => `${method} ${path} was answered 402 and sent again with no more credits.`,
      );
    }
  },
};

function isVain(first: Seen, next: Seen, wasPaidSince: (first: Seen, to: number) => boolean): boolean {
  // A 402 that a rule or a directive gave says nothing of the balance.
  if (first.left === undefined) return !wasPaidSince(first, next.received);
  const after = next.status === 402 ? next.left : undefined;
  return after !== undefined && after <= first.left;
}

/** The same request came again before the time that the answer to the first had named. */
export const ignoredRetryAfter: Finding = {
  name: 'ignored_retry_after',
  remedy:
    'Read the Retry-After header of a 429 or 503 and wait so many seconds before the next try; the official clients do so by themselves.',
  *find({ alike, requests }) {
    const known = new Set<string>();
    for (const group of alike) {
      const pairs = (yield* repetitions(group, isAskedToWait)).filter(isTooEarly);
      for (const { id } of pairs.flat()) known.add(id);
      yield* caseOf(pairs, cameSooner);
    }
    for (const pair of yield* declaredRetries(requests)) {
      if (pair.some(({ id }) => !known.has(id))) yield* caseOf([pair], cameSooner);
    }
  },
};

function isAskedToWait({ retryAfter = 0 }: Seen): boolean {
  return retryAfter > 0;
}

function cameSooner({ method, path, retryAfter }: Seen): string {
  return `${method} ${path} was asked to come again after ${retryAfter} s and came sooner.`;
}

const HOUR = 3_600_000;

/**
 * A limit is checked before a body is read, so whether two bodies are alike is unknown. But where the client says of
 * itself that it tries again, and whatever it could mean was asked to wait longer, it has not waited.
 */
function* declaredRetries(requests: readonly Seen[]): Search<Pair[]> {
  const pairs: Pair[] = [];
  for (const [at, again] of requests.entries()) {
    yield;
    if (again.retryCount === 0) continue;
    const earlier = earlierTries(requests, at, again).filter(
      (each) => isOfOneKind(each, again) && again.began - each.ended < HOUR,
    );
    const last = earlier.at(-1);
    if (last && earlier.every((each) => isAskedToWait(each) && isTooEarly([each, again]))) pairs.push([last, again]);
  }
  return pairs;
}

function isOfOneKind(first: Seen, again: Seen): boolean {
  return first.accountId === again.accountId && first.method === again.method && first.path === again.path;
}

/** Clocks of two machines, and of two cores, are not the same to the millisecond. */
const TOLERANCE = 50;

/** Too early by both clocks: a test that moved the emulator's clock has let the time pass. */
function isTooEarly([first, next]: Pair): boolean {
  const wanted = (first.retryAfter ?? 0) * 1000 - TOLERANCE;
  const answered = first.received + (first.ended - first.began);
  return next.began - first.ended < wanted && next.received - answered < wanted;
}

/** What came later than this after a request is taken for unrelated: 10 minutes. */
const LONG_AFTER = 600_000;

/** The pairs of a request and the next one like it, sent when the answer to the first was out, and not long after. */
export function* repetitions(alike: readonly Seen[], of: (first: Seen) => boolean): Search<Pair[]> {
  const pairs: Pair[] = [];
  for (const [at, first] of alike.entries()) {
    yield;
    if (!of(first)) continue;
    let after = at + 1;
    while (after < alike.length && (alike[after]?.began ?? 0) < first.ended) after += 1;
    const next = alike[after];
    if (next && next.began - first.ended < LONG_AFTER) pairs.push([first, next]);
  }
  return pairs;
}

/** How far back it is looked for what a client tries again. */
const NEAR = 200;

/** What a request may try again by its own word: near before it, answered when it came, and of one try less. */
export function earlierTries(requests: readonly Seen[], at: number, again: Seen): Seen[] {
  return requests
    .slice(Math.max(0, at - NEAR), at)
    .filter(({ ended, retryCount }) => ended <= again.began && retryCount === again.retryCount - 1);
}

/** One case for all repetitions of the same request. */
export function* caseOf(pairs: readonly Pair[], says: (first: Seen) => string): Search {
  const [[first] = []] = pairs;
  if (!first) return;
  const requests = [...new Set(pairs.flat().map(({ id }) => id))];
  yield { accountId: first.accountId, message: says(first), requests };
}
