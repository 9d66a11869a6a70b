import { z } from 'zod';
import { type EmulatorError, invalidRequestError } from '../../base/errors.ts';
import { addTextIssues, type IssueContext, jsonSchemaLengths, type TextBounds } from '../../base/schemas.ts';
import {
  type Directives,
  extractDirectives,
  findMistypedDirectives,
  MAX_RENDER_BYTES,
  type MistypedDirective,
  type TextAndDirectives,
} from '../../engine/faults/directives.ts';
import { packFieldWithReason, packFieldWithReasons } from './field-list.ts';
import type { Call } from './request.ts';

type ReadText = TextAndDirectives & { isAlone: boolean };

/** Directives are removed before the length is checked. A text of directives only may become empty. */
export function textWithDirectives(bounds: TextBounds = {}) {
  const alone = { ...bounds, min: 0 };
  return given(bounds).transform((value, context): ReadText => {
    const read = readDirected(value, context);
    if (read !== z.NEVER) addTextIssues(read.text, read.isAlone ? alone : bounds, context);
    return read;
  });
}

export function textWithUncheckedLength(bounds: TextBounds) {
  return given(bounds).transform((value, context) => readDirected(value, context));
}

function given(bounds: TextBounds) {
  return z.string().meta(jsonSchemaLengths(bounds));
}

function readDirected(value: string, context: IssueContext): ReadText {
  if (hasTooMany(value)) {
    context.addIssue({ code: 'custom', message: TOO_MANY, params: { choice: 'C028' } });
    return z.NEVER;
  }
  const { text: rest, directives }: TextAndDirectives = value.includes('[[')
    ? extractDirectives(value)
    : { text: value, directives: {} };
  if ((directives.bytes ?? 0) > MAX_RENDER_BYTES) context.addIssue({ code: 'custom', message: TOO_LARGE });
  return { text: rest, directives, isAlone: rest === '' && value !== '' };
}

const MAX_OPENINGS = 10_000;
const TOO_MANY = `has [[ more than ${MAX_OPENINGS} times, the limit of one text; leave some out.`;
const TOO_LARGE = `requests more than ${MAX_RENDER_BYTES} bytes (10 MiB) by [[bytes:…]], the limit of a render; request fewer.`;

function hasTooMany(value: string): boolean {
  let found = 0;
  for (let at = value.indexOf('[['); at !== -1 && found <= MAX_OPENINGS; at = value.indexOf('[[', at + 1)) found += 1;
  return found > MAX_OPENINGS;
}

interface MistypedField extends MistypedDirective {
  field: string;
}

export function findMistypedDirectivesInBody(body: unknown): MistypedField[] {
  const found: MistypedField[] = [];
  addMistyped(body, '', found);
  return found;
}

/** `path` is empty or ends with a dot. */
function addMistyped(value: unknown, path: string, found: MistypedField[]): void {
  if (typeof value !== 'object' || value === null) return;
  if ('directives' in value && 'text' in value && typeof value.text === 'string') {
    if (!value.text.includes('[[')) return;
    for (const each of findMistypedDirectives(value.text)) found.push({ field: path.slice(0, -1), ...each });
    return;
  }
  for (const name of Object.keys(value)) {
    const inner = (value as Record<string, unknown>)[name];
    if (typeof inner === 'object') addMistyped(inner, `${path}${name}.`, found);
  }
}

/** Becomes a warning such as `prompt;directive=fial;nearest=fail`. */
export function mistypedDirectiveWarning({ field, written, nearest }: MistypedField): string {
  return packFieldWithReasons(field, [`directive=${written}`, `nearest=${nearest}`]);
}

export function mistypedDirectiveError({ field, written, nearest }: MistypedField): EmulatorError {
  const message = `${field} contains [[${written}]], which is not a directive. Write [[${nearest}]], or use other brackets if it belongs to the text.`;
  return invalidRequestError(field, message);
}

/**
 * Call it only for work that is not moderated and has one result: `block` and the take of `fail` have no effect on it.
 */
export function warnOfUnusedDirectives(call: Call<unknown, unknown>, field: string, { block, fail }: Directives): void {
  if (block) call.warn(packFieldWithReason(field, 'directive=block'));
  warnOfMissingTake(call, field, fail);
}

export function warnOfUnusedBytes(call: Call<unknown, unknown>, field: string, { bytes }: Directives): void {
  if (bytes !== undefined) call.warn(packFieldWithReason(field, 'directive=bytes'));
}

export function warnOfMissingTake(
  call: Call<unknown, unknown>,
  field: string,
  fail: Directives['fail'],
  takes = 0,
): void {
  const take = fail?.take ?? 0;
  if (take > takes) call.warn(packFieldWithReason(field, `directive=fail:take=${take}`));
}
