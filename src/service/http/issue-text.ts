import { z } from 'zod';
import { type ChoiceId, type EmulatorError, invalidRequestError } from '../../base/errors.ts';
import { countCodePoints } from '../../base/schemas.ts';
import { capitalized, countWithNoun, didYouMeanText, joinedWithOr } from '../../base/text.ts';
import { choiceOfField, type FieldTree, findFieldAtPath } from './field-tree.ts';

type Issue = z.core.$ZodIssue;

export function validationError(issues: readonly Issue[], { tree, input, whole }: Judged): EmulatorError {
  const issue = located(deepest(issues));
  if (issue.code === 'unrecognized_keys') return unknownFieldError(issue.path, tree);
  const param = issue.path.join('.') || null;
  const fault = faultText(issue, valueAt(input, issue.path), findFieldAtPath(tree, issue.path) ?? {});
  return invalidRequestError(param, `${param ?? whole} ${fault}`, choiceOf(issue, tree));
}

interface Judged {
  tree: FieldTree;
  input: unknown;
  whole: string;
}

/** The message after the name of the field: "must be a number from 1 to 20, not 99. Leave it out for the default." */
function faultText(issue: Issue, given: unknown, { takes = '', number }: FieldTree): string {
  const expected = takes === '' ? '' : ` Expected: ${takes}`;
  // The message of a custom check says what is wrong. If it has no second clause, the accepted values are added.
  if (issue.code === 'custom') return /[;.] /.test(issue.message) ? issue.message : issue.message + expected;
  if (given === undefined) return `is missing.${expected}`;
  const size = sizeText(issue, given);
  if (size) return size;
  const not = `, not ${describeValue(given)}.`;
  const values = valuesIn(issue);
  if (values.length > 0) return `must be ${joinedWithOr(values.map((value) => JSON.stringify(value)))}${not}`;
  const [first, others] = clauses(takes);
  if (number && STATES_RANGE.test(first)) return `must be ${first}${not} ${capitalized(others)}`.trimEnd();
  const types = number ? [rangeOf(number)] : typesIn(issue);
  if (types.length === 0) return `${takes === '' ? 'is not valid' : `must be ${first}`}${not}`;
  return `must be ${joinedWithOr(types)}${not}${/\d/.test(types[0] ?? '') ? '' : expected}`;
}

const STATES_RANGE = /^(?:an? [A-Za-z ]+ from )?[\d.,]+ to [\d.,]+|^an? (?:whole )?number (?:above|of)\b/;

function clauses(takes: string): [string, string] {
  const end = takes.search(/[;.](?: |$)/);
  return end === -1 ? [takes, ''] : [takes.slice(0, end), takes.slice(end + 2)];
}

function valuesIn(issue: Issue): readonly unknown[] {
  if (issue.code === 'invalid_value') return issue.values;
  return (issue as { options?: readonly unknown[] }).options ?? [];
}

function sizeText(issue: Issue, given: unknown): string | undefined {
  if (issue.code !== 'too_small' && issue.code !== 'too_big') return undefined;
  if (issue.origin !== 'string' && issue.origin !== 'array') return undefined;
  const unit = issue.origin === 'string' ? 'character' : 'item';
  const length = typeof given === 'string' ? countCodePoints(given) : (given as unknown[]).length;
  if (issue.code === 'too_small') {
    const found = length === 0 ? 'is empty' : `has ${countWithNoun(length, unit)}`;
    return `${found}; it must have at least ${countWithNoun(Number(issue.minimum), unit)}.`;
  }
  const remedy = unit === 'item' ? 'Send fewer.' : 'Shorten it.';
  return `has ${countWithNoun(length, unit)}; it must have at most ${issue.maximum}. ${remedy}`;
}

function rangeOf(number: z.ZodNumber): string {
  const { type, minimum: min, exclusiveMinimum, maximum, multipleOf } = z.toJSONSchema(number);
  const kind = type === 'integer' ? 'a whole number' : 'a number';
  const steps = multipleOf === undefined ? '' : ` in steps of ${multipleOf}`;
  const max = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum;
  const most = max === undefined ? '' : `, at most ${max}`;
  if (exclusiveMinimum !== undefined) return `${kind} above ${exclusiveMinimum}${most}`;
  if (min === undefined || min === Number.MIN_SAFE_INTEGER) return kind + most;
  return max === undefined ? `${kind}, ${min} or more` : `${kind} from ${min} to ${max}${steps}`;
}

/** The types that the field accepts, such as `a string`; for a union, such as `a string` and `an array`. */
function typesIn(issue: Issue): string[] {
  if (issue.code === 'invalid_type') return [withArticle(issue.expected)];
  if (issue.code !== 'invalid_union') return [];
  const forms = issue.errors.map(([first]) => (first?.path.length === 0 ? typesIn(first) : []));
  return forms.every((form) => form.length > 0) ? [...new Set(forms.flat())] : [];
}

/** C020: the input as a whole is wrong. C028: a list is too long. */
function choiceOf(issue: Issue, tree: FieldTree): ChoiceId | undefined {
  if (issue.path.length === 0) return 'C020';
  if (issue.code === 'too_big' && issue.origin === 'array') return 'C028';
  return choiceOfIssue(issue) ?? choiceOfField(tree, issue.path, issue.code);
}

export function choiceOfIssue(issue: Issue): ChoiceId | undefined {
  return issue.code === 'custom' ? issue.params?.choice : undefined;
}

function located(issue: Issue): Issue {
  const [key] = issue.code === 'unrecognized_keys' ? issue.keys : [];
  if (key === undefined || issue.path.at(-1) === key) return issue;
  return { ...issue, path: [...issue.path, key] };
}

export function unknownFieldError(path: PropertyKey[], tree: FieldTree): EmulatorError {
  const param = path.join('.').slice(0, 200);
  const unknown = String(path.at(-1)).slice(0, 80);
  const known = [...(findFieldAtPath(tree, path.slice(0, -1))?.fields?.keys() ?? [])];
  const accepted = known.length === 0 ? 'No field is accepted here; leave it out.' : `Accepted: ${known.join(', ')}.`;
  return invalidRequestError(param, `Unknown field ${param}.${didYouMeanText(unknown, known)} ${accepted}`);
}

/** Prefers an unknown field, because a mistyped name is often the reason why another field is missing. */
function mostTelling(issues: readonly Issue[]): Issue | undefined {
  return issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0];
}

/** For a union, returns the deepest issue of all its forms, because the form with this issue was probably intended. */
function deepest(issues: readonly Issue[]): Issue {
  const first = mostTelling(issues);
  if (!first) throw new Error('validation failed without an issue');
  if (first.code !== 'invalid_union') return first;
  const inner = first.errors
    .flatMap((form) => mostTelling(form) ?? [])
    .map((issue) => located({ ...issue, path: [...first.path, ...issue.path] } as Issue));
  const furthest = inner.reduce<Issue | undefined>(
    (best, issue) => (issue.path.length > (best?.path.length ?? first.path.length) ? issue : best),
    // If no issue is deeper, uses that of a custom check: the value has the right type and is still invalid.
    inner.find((issue) => issue.code === 'custom'),
  );
  return furthest ? deepest([furthest]) : first;
}

function withArticle(type: string): string {
  if (type === 'int') return 'a whole number';
  if (type === 'record') return 'an object';
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

export function describeValue(value: unknown): string {
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (value === null) return 'null';
  if (typeof value === 'object') return 'an object';
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

export function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, step) =>
      typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[step] : undefined,
    input,
  );
}

export function rejectUnknownFields([field]: readonly string[]): void {
  if (field === undefined) return;
  throw invalidRequestError(
    field,
    `${field} is not a field of this operation; leave it out, or start without --strict to have it ignored.`,
    'C001',
  );
}
