import { existsSync } from 'node:fs';
import { z } from 'zod';
import { readPlainFile } from '../base/config/plain-file.ts';
import { parsedJson } from '../base/text.ts';
import { RunFault } from './runner/runner.ts';

export const baselineText = z.string({ error: 'expected a text' }).regex(/\S/, 'expected a text');

/** Why something is let pass, and the last day on which it is: an ISO date. */
export const excuse = {
  why: baselineText,
  until: z
    .string()
    .refine((day) => !Number.isNaN(Date.parse(day)), 'expected a date such as 2027-01-31')
    .optional(),
};

/**
 * Reads the file of `--baseline`; undefined where there is none, which `mayLack` has to allow. Throws `RunFault` for one that
 * is not as its schema says.
 */
export function readBaseline<Schema extends z.ZodType>(
  file: string,
  schema: Schema,
  mayLack = true,
): z.infer<Schema> | undefined {
  if (!existsSync(file)) {
    if (mayLack) return undefined;
    throw unusable(file, 'does not exist. Make it with --update-baseline');
  }
  const { success, data, error } = schema.safeParse(parsedJson(textOf(file)));
  if (success) return data;
  const [issue] = error.issues;
  const place = issue?.path.length ? z.core.toDotPath(issue.path) : 'the file';
  throw unusable(file, `is no baseline: ${place}: ${issue?.message}`);
}

function textOf(file: string): string {
  try {
    return readPlainFile(file);
  } catch (error) {
    throw unusable(file, `cannot be read: ${Object(error).message}`);
  }
}

function unusable(file: string, what: string): RunFault {
  return new RunFault(`--baseline is ${file}, which ${what}.`);
}
