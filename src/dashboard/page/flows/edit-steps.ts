import { type FlowStep, STEP_KEY, type StepType } from './flow-records.ts';
import { renumbered } from './template-texts.ts';

/** Steps that can be told apart, wherever they are moved and however they are named. */
export function keyedSteps(steps: readonly FlowStep[]): FlowStep[] {
  return steps.map((step, position) => ({ ...step, [STEP_KEY]: position }));
}

/** Templates follow the steps that they read. */
export function movedStep(steps: readonly FlowStep[], from: number, by: -1 | 1): FlowStep[] {
  const to = from + by;
  const [step, other] = [steps[from], steps[to]];
  if (!step || !other) return [...steps];
  const moved = steps.with(to, step).with(from, other);
  return renumbered(moved, (old) => {
    if (old === from + 1) return to + 1;
    return old === to + 1 ? from + 1 : old;
  });
}

export function removedStep(steps: readonly FlowStep[], at: number): FlowStep[] {
  const rest = steps.filter((_, position) => position !== at);
  return renumbered(rest, (old) => {
    if (old === at + 1) return 0;
    return old > at + 1 ? old - 1 : old;
  });
}

/** A new step, by a name that none has. */
export function addedStep(steps: readonly FlowStep[], type: StepType): FlowStep[] {
  const taken = new Set(steps.map(({ nodeId }) => nodeId));
  const names = [type, ...steps.map((_, position) => `${type}-${position + 2}`)];
  const nodeId = names.find((name) => !taken.has(name)) ?? `${type}-${steps.length + 2}`;
  const key = Math.max(-1, ...steps.map((step) => step[STEP_KEY] ?? 0)) + 1;
  return [...steps, { nodeId, type, params: {}, [STEP_KEY]: key }];
}
