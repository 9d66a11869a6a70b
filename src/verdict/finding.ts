import type { Evidence, Seen } from './evidence.ts';
import type { FindingName } from './finding-names.ts';

/** Something that a client did wrong, and what shows it. */
export interface Case {
  accountId: string;
  message: string;
  /** Ids, oldest first. */
  requests: string[];
  deliveries?: string[];
}

/** One kind of fault, how it is found, and what is to be done about it. */
export interface Finding {
  name: FindingName;
  remedy: string;
  find(evidence: Evidence): Case[];
}

/** What came later than this after a request is taken for unrelated: 10 minutes. */
const LONG_AFTER = 600_000;

/** The pairs of a request and the next one like it, sent when the answer to the first was out, and not long after. */
export function repetitions(alike: readonly Seen[], of: (first: Seen) => boolean): [Seen, Seen][] {
  return alike.flatMap((first, at): [Seen, Seen][] => {
    if (!of(first)) return [];
    let place = at + 1;
    while (place < alike.length && (alike[place]?.began ?? 0) < first.ended) place += 1;
    const next = alike[place];
    return next && next.began - first.ended < LONG_AFTER ? [[first, next]] : [];
  });
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
export function caseOf(pairs: readonly (readonly Seen[])[], tell: (first: Seen) => string): Case[] {
  const [[first] = []] = pairs;
  if (!first) return [];
  const requests = [...new Set(pairs.flat().map(({ id }) => id))];
  return [{ accountId: first.accountId, message: tell(first), requests }];
}
