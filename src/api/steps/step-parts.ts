import type { z } from 'zod';
import { EmulatorError } from '../../errors.ts';
import type { IsOpen, Params } from '../../flows/step-kind.ts';
import type { Subsystems } from '../../subsystems.ts';
import type { BodyReader } from '../body-reader.ts';

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
  | 'files'
  | 'policy'
  | 'random'
  | 'references'
  | 'road'
  | 'songwriter'
  | 'unanswered'
>;

/**
 * Checks the params of a step by the body of its operation, and then, where they are all there, by what else the
 * operation asks of them before it works. Answers the paths of unknown fields.
 */
export function checkBody<Schema extends z.ZodType>(
  reader: BodyReader<Schema>,
  { params, isOpen }: { params: Params; isOpen: IsOpen },
  further: (body: z.output<Schema>) => void,
): string[] {
  const body = reader.tryRead(params, isOpen);
  if (body !== undefined) {
    try {
      further(body);
    } catch (error) {
      if (!isAboutOpen(error, isOpen)) throw error;
    }
  }
  return reader.unknown(params);
}

function isAboutOpen(error: unknown, isOpen: IsOpen): boolean {
  return error instanceof EmulatorError && error.param !== null && isOpen(error.param.split('.'));
}
