export interface TriedCount {
  name: string;
  /** The scenarios of the plan, and those that were judged. */
  of: number;
  run: number;
  /** Scenarios under which the tests passed. */
  good: number;
}

export interface SearchResults {
  /** The number of planned fault kinds, and of those that were judged. */
  planned: number;
  judged: number;
  runs: number;
  tried: readonly TriedCount[];
}

/** `planned` contains the name of each planned scenario once per scenario. */
export function countByName(
  planned: readonly string[],
  judged: readonly { name: string; isGood: boolean }[],
): TriedCount[] {
  const names = new Set([...planned, ...judged.map(({ name }) => name)]);
  return [...names].map((name) => {
    const own = judged.filter((each) => each.name === name);
    const of = planned.filter((each) => each === name).length;
    return { name, of, run: own.length, good: own.filter(({ isGood }) => isGood).length };
  });
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

export function ofShard<T>(plan: readonly T[], { index, of }: Shard): T[] {
  return plan.filter((_, at) => at % of === index - 1);
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
