import { z } from 'zod';

/** The body of every answer from 400 on. */
export const errorSchema = z.strictObject({
  error: z.strictObject({
    code: z.string().describe('what went wrong, for a program.'),
    message: z.string().describe('what was wrong, what was expected and the way out.'),
    type: z.string(),
    param: z.string().nullable().describe('the path of the field at fault.'),
  }),
});
