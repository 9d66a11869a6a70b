import type { z } from 'zod';
import type { IsOpen, Params } from '../../flows/step-kind.ts';
import { sparingOpen } from '../../flows/step-kind.ts';
import type { BodyReader } from '../body-reader.ts';

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
  if (body !== undefined) sparingOpen(isOpen, () => further(body));
  return reader.unknown(params);
}
