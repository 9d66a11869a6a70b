import type { Prepare } from './runner.ts';

export function combinePreparations(first: Prepare, second: Prepare | undefined): Prepare {
  if (!second) return first;
  return async (site) => {
    const made = [await first(site), await second(site)];
    return {
      upAgain: async () => void (await Promise.all(made.map((each) => each.upAgain?.()))),
      end: async () => void (await Promise.all(made.map((each) => each.end?.()))),
      over: AbortSignal.any(made.flatMap(({ over }) => over ?? [])),
      isKnown: () => made.some((each) => each.isKnown?.()),
      async read() {
        for (const each of made) await each.read?.();
      },
    };
  };
}
