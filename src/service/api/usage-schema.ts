import { z } from 'zod';
import type { ModelKind } from '../../engine/catalogue/catalogue.ts';

/** The usage block of paid answers: exactly two whole numbers of credits. */
export const usage = z.strictObject({
  credits_spent: z.int(),
  credits_remaining: z.int(),
});

/** Unix seconds. */
export const unixTime = z.int();

/** Marks a field that takes the id of a model of a kind. Which ids there are is up to the catalogue. */
export const MODELS = 'x-models';

export function modelOf(kind: ModelKind) {
  return z.string().meta({ [MODELS]: kind });
}
