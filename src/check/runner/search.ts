/** Scenarios of one kind: a kind of fault at a kind of site. */
export interface TriedCount {
  /** The fault. */
  name: string;
  isTried: boolean;
  /** The tests passed under one of them. */
  isGood: boolean;
}

export interface SearchResults {
  /** The kinds of scenarios in the plan, and those that were tried. */
  planned: number;
  judged: number;
  runs: number;
  tried: readonly TriedCount[];
}

export interface SearchProgress {
  done: number;
  /** May grow during the search. */
  planned: number;
  runs: number;
}

export interface CheckSearch<Results extends SearchResults> {
  readonly progress: SearchProgress;
  /** Valid at any time, even after a failure. */
  readonly results: Results;
  /** Tries everything, or the finding of a token. Throws `RunFault` if the command itself prevents that. */
  run(): Promise<void>;
}

export interface Shard {
  index: number;
  of: number;
}

/** All of one kind belong to one shard, so that the counts of shards can be added. */
export function ofShard<T>(plan: readonly T[], { index, of }: Shard, kindOf: (each: T) => string): T[] {
  const kinds = new Map([...new Set(plan.map(kindOf))].map((kind, at) => [kind, at]));
  return plan.filter((each) => (kinds.get(kindOf(each)) ?? 0) % of === index - 1);
}

/**
 * Keeps up to `atOnce` tasks running until `next` has no more. After a failure nothing new begins, and the failure is
 * thrown once the rest has ended.
 */
export async function workAtOnce(
  atOnce: number,
  next: (underWay: number) => Promise<unknown> | undefined,
): Promise<void> {
  const underWay = new Set<Promise<unknown>>();
  const failures: unknown[] = [];
  for (;;) {
    const work = failures.length === 0 && underWay.size < atOnce ? next(underWay.size) : undefined;
    if (work !== undefined) {
      const ending: Promise<unknown> = work
        .catch((error: unknown) => failures.push(error))
        .finally(() => underWay.delete(ending));
      underWay.add(ending);
    } else if (underWay.size > 0) await Promise.race(underWay);
    else break;
  }
  if (failures.length > 0) throw failures[0];
}
