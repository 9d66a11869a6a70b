import { z } from 'zod';

/** Milliseconds that one wait may last: ten minutes. */
export const LONGEST_WAIT = 600_000;
/** The most events of a stream, and bytes of a file, that a rule counts. */
export const MOST_EVENTS = 1_000_000;
export const MOST_BYTES = 100_000_000;

const CODE = /^[a-z0-9_]{1,64}$/;
const CODE_TEXT = '1 to 64 lower-case letters, digits and underscores, such as out_of_memory.';

/** A whole number within bounds. */
export function count(min: number, max: number) {
  return z.int().min(min).max(max);
}

export function code() {
  return z.string().regex(CODE, { error: 'is no code', abort: true }).describe(CODE_TEXT);
}

/** A field that may be left out; null is the same. */
export function maybe<T extends z.ZodType>(schema: T) {
  return schema.nullish().transform((value): z.output<T> | undefined => value ?? undefined);
}

/** What was left out stays out: a rule is kept and shown as it was ordered. */
export function presentFields<T extends object>(given: T): { [Name in keyof T]?: NonNullable<T[Name]> } {
  const present = Object.entries(given).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(present) as { [Name in keyof T]?: NonNullable<T[Name]> };
}

/** Has an object refuse to be empty: an effect that changes nothing. */
export function requireSome(fields: readonly string[], what: string) {
  return (given: object, context: z.core.$RefinementCtx): void => {
    const has = fields.some((field) => Boolean(Reflect.get(given, field)));
    if (has) return;
    context.addIssue({ code: 'custom', message: `leaves the ${what} as it is; give one of its fields a value.` });
  };
}

/** A number as a sentence has it: `1,500`. */
export function figure(value: number): string {
  return value.toLocaleString('en-US');
}
