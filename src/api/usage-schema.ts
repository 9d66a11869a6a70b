import { z } from 'zod';

/** The usage block of paid answers: exactly two whole numbers of credits. */
export const usage = z.strictObject({
  credits_spent: z.int(),
  credits_remaining: z.int(),
});

/** Unix seconds. */
export const unixTime = z.int();
