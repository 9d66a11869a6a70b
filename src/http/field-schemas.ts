import { z } from 'zod';
import { type DirectedText, extractDirectives, MOST_RENDER_BYTES } from '../faults/directives.ts';
import { counted } from '../log/log.ts';

/** An optional field: null is the same as leaving it out. */
export function optional<T extends z.ZodType>(schema: T) {
  return schema.nullish().transform((value) => value ?? undefined);
}

/** An optional field with a value of its own when it is left out or null. */
export function withDefault<T extends z.ZodType>(schema: T, value: z.output<T>) {
  return schema.nullish().transform((given): z.output<T> => given ?? value);
}

/** How deep a JSON object may nest: a deeper one cannot be serialized again. */
const DEEPEST = 32;

/** Any JSON object. */
export function jsonObject() {
  return z.record(z.string(), z.unknown()).refine((value) => isShallow(value, DEEPEST), {
    error: `is nested more than ${DEEPEST} levels deep; make it flatter.`,
  });
}

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((each) => isShallow(each, levels - 1));
}

/** A whole number within bounds. */
export function whole(min: number, max: number) {
  return z.int().min(min).max(max);
}

/** Bounds of a text, in Unicode code points. */
export interface TextBounds {
  min?: number;
  max?: number;
  /** A lone surrogate is replaced by U+FFFD, not refused: texts that are rendered may contain one. */
  isDrawn?: true;
}

/** A text whose length is counted in code points. */
export function text(bounds: TextBounds = {}) {
  return z
    .string()
    .superRefine((value, context) => checkText(value, bounds, context))
    .meta(lengthsOf(bounds));
}

/** A text that may carry directives: they are taken out before its length counts. One of directives alone is the empty text. */
export function directedText(bounds: TextBounds = {}) {
  const alone = { ...bounds, min: 0 };
  return given(bounds).transform((value, context): DirectedText & { isAlone: boolean } => {
    const read = readDirected(value, bounds, context);
    if (read !== z.NEVER) checkText(read.text, read.isAlone ? alone : bounds, context);
    return read;
  });
}

/** The same where only the handler knows whether the text is used; the bounds are documented, not checked. */
export function unjudgedText(bounds: TextBounds) {
  return given(bounds).transform((value, context) => readDirected(value, bounds, context));
}

function given(bounds: TextBounds) {
  return z.string().meta(lengthsOf(bounds));
}

function readDirected(
  value: string,
  { isDrawn }: TextBounds,
  context: IssueContext,
): DirectedText & { isAlone: boolean } {
  if (hasTooMany(value)) {
    context.addIssue({ code: 'custom', message: TOO_MANY });
    return z.NEVER;
  }
  const whole = isDrawn ? value.toWellFormed() : value;
  const { text: rest, directives }: DirectedText = whole.includes('[[')
    ? extractDirectives(whole)
    : { text: whole, directives: {} };
  if ((directives.bytes ?? 0) > MOST_RENDER_BYTES) context.addIssue({ code: 'custom', message: TOO_LARGE });
  return { text: rest, directives, isAlone: rest === '' && value !== '' };
}

/** Each possible start of a directive costs time, so their number is limited. */
const MOST_OPENINGS = 10_000;
const TOO_MANY = `has [[ more than ${MOST_OPENINGS} times, the most that one text may; leave some out.`;

const TOO_LARGE = `asks by [[bytes:…]] for more than ${MOST_RENDER_BYTES} bytes (10 MiB), the most that a render may have; ask for fewer.`;

function hasTooMany(value: string): boolean {
  let found = 0;
  for (let at = value.indexOf('[['); at !== -1 && found <= MOST_OPENINGS; at = value.indexOf('[[', at + 1)) found += 1;
  return found > MOST_OPENINGS;
}

/** JSON Schema counts code points too. */
function lengthsOf({ min, max }: TextBounds): { minLength?: number; maxLength?: number } {
  return {
    ...(min === undefined ? {} : { minLength: min }),
    ...(max === undefined ? {} : { maxLength: max }),
  };
}

/** Where a schema reports issues. */
interface IssueContext {
  addIssue(issue: { code: 'custom'; message: string }): void;
}

function checkText(value: string, { min = 0, max }: TextBounds, context: IssueContext): void {
  if (!value.isWellFormed()) {
    context.addIssue({
      code: 'custom',
      message: 'holds half of a surrogate pair; send well-formed Unicode.',
    });
  }
  if (min > 0 && value === '') {
    context.addIssue({
      code: 'custom',
      message: `is empty; it must have at least ${counted(min, 'character')}.`,
    });
  }
  if (max !== undefined && isLonger(value, max)) {
    context.addIssue({
      code: 'custom',
      message: `has ${value.length > FAR * max ? 'far too many' : codePoints(value)} characters; it must have at most ${max}. Shorten it.`,
    });
  }
}

/** Texts this many times too long are not counted to the end. */
const FAR = 10;

/** A text has at most as many code points as UTF-16 units and at least half as many: most need no counting. */
function isLonger(value: string, max: number): boolean {
  return value.length > max && (value.length > 2 * max || codePoints(value) > max);
}

/** The length of a text in Unicode code points. */
export function codePoints(value: string): number {
  const pairs = value.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g);
  return value.length - (pairs?.length ?? 0);
}
