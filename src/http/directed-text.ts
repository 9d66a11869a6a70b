import { z } from 'zod';
import { type DirectedText, extractDirectives, MOST_RENDER_BYTES } from '../faults/directives.ts';
import { checkText, type IssueContext, lengthsOf, type TextBounds } from './input.ts';

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
    context.addIssue({ code: 'custom', message: TOO_MANY, params: { choice: 'C028' } });
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
