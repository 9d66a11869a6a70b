/** What begins on a step of a pattern, and how many steps it holds. */
export interface PatternStep {
  step: number;
  mark: string;
  length: number;
}

/** Reads a pattern such as `X--x..5-`: a dot is a rest, a hyphen holds what began before it. */
export function readPattern(pattern: string): PatternStep[] {
  const steps: PatternStep[] = [];
  for (const { 0: mark, index } of pattern.matchAll(/[^.-]/g)) {
    const held = /^-*/.exec(pattern.slice(index + 1))?.[0].length ?? 0;
    steps.push({ step: index, mark, length: held + 1 });
  }
  return steps;
}

/** How strongly a mark is played. */
export function markVelocity(mark: string): number {
  if (mark === 'X') return 1;
  return mark === 'o' ? 0.45 : 0.76;
}
