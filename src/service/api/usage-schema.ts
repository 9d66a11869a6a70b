import { z } from 'zod';
import type { ModelKind } from '../../engine/catalogue/catalogue-file.ts';

/** Paid responses contain exactly these two whole numbers of credits. */
export const usage = z.strictObject({
  credits_spent: z.int(),
  credits_remaining: z.int(),
});

/** In unix seconds. */
export const unixTime = z.int();

/** Marks a field with a model id of a kind, because the catalogue decides which ids exist. */
export const MODELS = 'x-models';

export function modelOf(kind: ModelKind) {
  return z.string().meta({ [MODELS]: kind });
}
