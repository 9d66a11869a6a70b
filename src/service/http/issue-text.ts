import { z } from 'zod';
import { type ChoiceId, type EmulatorError, invalid } from '../../base/errors.ts';
import { capital, nearestName } from '../../base/text.ts';

type Issue = z.core.$ZodIssue;

/** Turns the first issue of a validation into an error with the field, the fault, the value and what is accepted. */
export function issueError(issues: readonly Issue[], tree: FieldTree, input: unknown): EmulatorError {
  const issue = located(deepest(issues));
  const param = issue.path.join('.') || null;
  const subject = param ?? 'The body';
  const given = valueAt(input, issue.path);
  if (issue.code === 'unrecognized_keys') return unknownField(issue.path, tree);
  // A list of values is the whole remedy.
  const takes = issue.code === 'invalid_value' && given !== undefined ? undefined : nodeAt(tree, issue.path)?.takes;
  const text =
    (takes && given !== undefined ? rangeText(subject, issue, given, takes) : undefined) ??
    `${faultText(subject, issue, given)}${takes ? ` Expected: ${takes}` : ''}`;
  return invalid(param, text, choiceOf(issue, tree));
}

/** Says a range once: "must be a number from 1 to 20, not 99. Leave it out for the default." */
function rangeText(subject: string, { code }: Issue, given: unknown, takes: string): string | undefined {
  if (code !== 'too_small' && code !== 'too_big') return undefined;
  const end = takes.search(/[;.](?: |$)/);
  const [range, rest] = [takes.slice(0, end), takes.slice(end + 2)];
  if (!/^an? .* from [\d.,]+ to [\d.,]+(?: [a-z ]+)?(?: \(default: [^)]*\))?$/.test(range)) return undefined;
  return `${subject} must be ${range}, not ${describeValue(given)}. ${capital(rest)}`.trimEnd();
}

/** The choice for a body that is not an object, a list that is too long, or the issue's own. */
function choiceOf(issue: Issue, tree: FieldTree): ChoiceId | undefined {
  if (issue.path.length === 0) return 'C020';
  if (issue.code === 'too_big' && issue.origin === 'array') return 'C028';
  return choiceIn(issue) ?? choiceAt(tree, issue.path, issue.code);
}

/** Our own checks name the choice in their `params`. */
export function choiceIn(issue: Issue): ChoiceId | undefined {
  return issue.code === 'custom' ? issue.params?.choice : undefined;
}

/** The path of an unknown field, not of the object around it. */
function located(issue: Issue): Issue {
  const [key] = issue.code === 'unrecognized_keys' ? issue.keys : [];
  if (key === undefined || issue.path.at(-1) === key) return issue;
  return { ...issue, path: [...issue.path, key] };
}

export function unknownField(path: PropertyKey[], tree: FieldTree): EmulatorError {
  const param = path.join('.').slice(0, 200);
  const unknown = String(path.at(-1)).slice(0, 80);
  const known = [...(nodeAt(tree, path.slice(0, -1))?.fields?.keys() ?? [])];
  const nearest = nearestName(unknown, known);
  const hint = nearest
    ? ` Did you mean ${nearest}? Accepted: ${known.join(', ')}.`
    : ' No field is accepted here; leave it out.';
  return invalid(param, `Unknown field ${param}.${hint}`);
}

/** The first issue other than an unknown field, which is often why another field is missing. */
function mostTelling(issues: readonly Issue[]): Issue | undefined {
  return issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0];
}

/** In a union, the form that got furthest is the intended one. */
function deepest(issues: readonly Issue[]): Issue {
  const first = mostTelling(issues);
  if (!first) throw new Error('validation failed without an issue');
  if (first.code !== 'invalid_union') return first;
  const inner = first.errors
    .flatMap((form) => mostTelling(form) ?? [])
    .map((issue) => located({ ...issue, path: [...first.path, ...issue.path] } as Issue));
  const furthest = inner.reduce<Issue | undefined>(
    (best, issue) => (issue.path.length > (best?.path.length ?? first.path.length) ? issue : best),
    // A value of the right type that is still not valid: our own check explains it.
    inner.find((issue) => issue.code === 'custom'),
  );
  return furthest ? deepest([furthest]) : first;
}

function faultText(subject: string, issue: Issue, given: unknown): string {
  // Our own messages are predicates: "has 2,401 characters; …".
  if (issue.code === 'custom') return `${subject} ${issue.message}`;
  if (given === undefined) return `${subject} is missing.`;
  return `${subject} ${demand(issue)}, not ${describeValue(given)}.`;
}

function demand(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${withArticle(issue.expected)}`;
    case 'invalid_value':
      return `must be ${oneOf(issue.values.map((value) => JSON.stringify(value)))}`;
    case 'too_small':
      return `must ${sizeVerb(issue.origin)} at least ${issue.minimum}${sizeUnit(issue.origin)}`;
    case 'too_big':
      return `must ${sizeVerb(issue.origin)} at most ${issue.maximum}${sizeUnit(issue.origin)}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_union':
      return 'must have a shape that is accepted';
    default:
      return `is not valid (${issue.message})`;
  }
}

function sizeVerb(origin: string): string {
  return origin === 'array' || origin === 'string' ? 'have' : 'be';
}

function sizeUnit(origin: string): string {
  if (origin === 'array') return ' items';
  return origin === 'string' ? ' characters' : '';
}

function withArticle(type: string): string {
  if (type === 'int') return 'a whole number';
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

function oneOf(values: string[]): string {
  if (values.length < 2) return values.join('');
  return `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;
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

/** For strict mode. Throws `invalid_request` for the first of the fields. */
export function refuseUnknown([field]: readonly string[]): void {
  if (field === undefined) return;
  throw invalid(
    field,
    `${field} is not a field of this operation; leave it out, or start without --strict to have it ignored.`,
    'C001',
  );
}

/** For all faults of a field and its children, or for one kind of fault of the field. */
interface Refusal {
  choice: ChoiceId;
  only?: 'too_small' | 'too_big';
}

/** Set with `schema.register(refusals, …)`. Documents do not contain them. */
export const refusals = z.registry<Refusal>();

export interface FieldTree {
  takes?: string;
  fields?: Map<string, FieldTree>;
  items?: FieldTree;
  refusal?: Refusal;
}

/** Once, when the operation is mounted. */
export function fieldTree(schema: z.core.$ZodType): FieldTree {
  const takes = z.globalRegistry.get(schema)?.description;
  const refusal = refusals.get(schema);
  return { ...structure(schema), ...(takes ? { takes } : {}), ...(refusal ? { refusal } : {}) };
}

function structure(schema: z.core.$ZodType): FieldTree {
  if (schema instanceof z.ZodObject) {
    const entries = Object.entries<z.core.$ZodType>(schema.shape);
    return { fields: new Map(entries.map(([name, field]) => [name, fieldTree(field)])) };
  }
  if (schema instanceof z.ZodArray) return { items: fieldTree(schema.element) };
  if (schema instanceof z.ZodUnion) return schema.options.map(fieldTree).reduce(merge, {});
  const inner = innerOf(schema);
  return inner ? fieldTree(inner) : {};
}

function innerOf(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodPipe) return schema.in;
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodReadonly
  ) {
    return schema.unwrap() as z.core.$ZodType;
  }
  return undefined;
}

/** A field known to one form of a union is known. */
function merge(a: FieldTree, b: FieldTree): FieldTree {
  const fields = a.fields || b.fields ? new Map([...(a.fields ?? []), ...(b.fields ?? [])]) : undefined;
  const items = a.items && b.items ? merge(a.items, b.items) : (a.items ?? b.items);
  return { ...(fields ? { fields } : {}), ...(items ? { items } : {}) };
}

/** The choice of the field, or of the nearest one around it. */
function choiceAt(tree: FieldTree, path: PropertyKey[], issue: string): ChoiceId | undefined {
  const around = path.map((_, at) => nodeAt(tree, path.slice(0, at + 1))?.refusal);
  const isMeant = ({ only }: Refusal, at: number) => !only || (only === issue && at === path.length - 1);
  return around.findLast((refusal, at) => refusal && isMeant(refusal, at))?.choice;
}

function nodeAt(tree: FieldTree, path: PropertyKey[]): FieldTree | undefined {
  return path.reduce<FieldTree | undefined>(
    (node, step) => (typeof step === 'number' ? node?.items : node?.fields?.get(String(step))),
    tree,
  );
}

export function pathOf(field: string): PropertyKey[] {
  return field.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}
