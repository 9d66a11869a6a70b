import { z } from 'zod';
import type { ChoiceId } from './errors.ts';
import { countWithNoun } from './text.ts';

export function optional<T extends z.ZodType>(schema: T) {
  return schema.nullish().transform((value) => value ?? undefined);
}

/** The empty text means omitted, as forms and some clients send it. */
export function emptyTextAsMissing<T extends z.ZodType<string>>(schema: T) {
  return schema.nullish().transform((value) => value || undefined);
}

export function withDefault<T extends z.ZodType>(schema: T, value: z.output<T>) {
  return schema.nullish().transform((given): z.output<T> => given ?? value);
}

export function integerBetween(min: number, max: number) {
  return z.int().min(min).max(max);
}

/** The least and the greatest length of a text, in Unicode code points. */
export interface TextBounds {
  min?: number;
  max?: number;
  choices?: { empty?: ChoiceId; long?: ChoiceId };
}

export function text(bounds: TextBounds = {}) {
  return z
    .string()
    .superRefine((value, context) => addTextIssues(value, bounds, context))
    .meta(jsonSchemaLengths(bounds));
}

/** A text without NUL, for columns of the database: SQLite may read a text only up to its NUL. */
export function textWithoutNul(bounds: TextBounds) {
  return z
    .string()
    .superRefine((value, context) => {
      addTextIssues(value, bounds, context);
      if (value.includes('\0')) {
        context.addIssue({ code: 'custom', message: 'contains a NUL character (U+0000); leave it out.' });
      }
    })
    .meta(jsonSchemaLengths(bounds));
}

/** JSON Schema counts code points too. */
export function jsonSchemaLengths({ min, max }: TextBounds): { minLength?: number; maxLength?: number } {
  return {
    ...(min === undefined ? {} : { minLength: min }),
    ...(max === undefined ? {} : { maxLength: max }),
  };
}

export interface IssueContext {
  addIssue(issue: { code: 'custom'; message: string; params?: { choice: ChoiceId | undefined } }): void;
}

export function addTextIssues(value: string, { min = 0, max, choices }: TextBounds, context: IssueContext): void {
  if (min > 0 && value === '') {
    context.addIssue({
      code: 'custom',
      message: `is empty; it must have at least ${countWithNoun(min, 'character')}.`,
      params: { choice: choices?.empty },
    });
  }
  if (max !== undefined && isLonger(value, max)) {
    context.addIssue({
      code: 'custom',
      message: `has ${value.length > FAR * max ? 'far too many' : countCodePoints(value)} characters; it must have at most ${max}. Shorten it.`,
      params: { choice: choices?.long },
    });
  }
}

const FAR = 10;

/** Code points are at most as many as UTF-16 units and at least half as many, so most texts need no counting. */
function isLonger(value: string, max: number): boolean {
  return value.length > max && (value.length > 2 * max || countCodePoints(value) > max);
}

export function countCodePoints(value: string): number {
  const pairs = value.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g);
  return value.length - (pairs?.length ?? 0);
}

/** The most levels of a JSON object, because JSON.stringify fails on an extremely deep one. */
const DEEPEST_OBJECT = 32;

export function jsonObject() {
  return z.record(z.string(), z.unknown()).refine((value) => isShallow(value, DEEPEST_OBJECT), {
    error: `is nested more than ${DEEPEST_OBJECT} levels deep; make it flatter.`,
  });
}

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((each) => isShallow(each, levels - 1));
}

export const unixTimeSchema = z.int();

export function rewordIssueMessage(message = ''): string {
  return message.replace(/^Invalid input: /, '').replace(/^Unrecognized keys?:/, 'unknown field');
}

export const ERROR_CODE_PATTERN = /^[a-z0-9_]{1,64}$/;
