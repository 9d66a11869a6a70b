import type { Subsystems } from '../../http/subsystems.ts';

/** What the steps of flows do their work with. */
export type StepParts = Pick<
  Subsystems,
  | 'catalogue'
  | 'clock'
  | 'completions'
  | 'database'
  | 'desk'
  | 'die'
  | 'elements'
  | 'faults'
  | 'files'
  | 'fixtures'
  | 'policy'
  | 'random'
  | 'references'
  | 'road'
  | 'songwriter'
  | 'unanswered'
>;
