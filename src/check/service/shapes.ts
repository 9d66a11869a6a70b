import { z } from 'zod';
import { VERSION } from '../../base/package/version.ts';
import { parsedJson } from '../../base/parsed-json.ts';

/** What can differ; a result of the report is about one of these. */
export const WHATS = [
  ...['status', 'type', 'header', 'field', 'form', 'word', 'order', 'states', 'events', 'price', 'signature', 'media'],
] as const;
export type What = (typeof WHATS)[number];

export const TYPES = ['string', 'integer', 'number', 'boolean', 'null', 'object', 'array'] as const;

/** A field of an answer: never a value, but for closed words such as those of `status`. */
const fieldShape = z.strictObject({
  types: z.array(z.enum(TYPES)),
  /** Whether every object that could have it has it. */
  always: z.boolean(),
  /** Such as `id evt_`, `ISO time`, `unix seconds`, `hex 64`, `signed URL`. */
  forms: z.array(z.string()).optional(),
  /** Of fields whose values are closed words. */
  words: z.array(z.string()).optional(),
});

/** Something that was found out beside fields, in words: an order, a price, the sequence of states. */
const fact = z.strictObject({ what: z.enum(WHATS), path: z.string(), is: z.string() });

/** An answer without its values. Paths are dotted; `*` is every item of a list, as in `data.*.id`. */
export const answerShape = z.strictObject({
  status: z.int(),
  /** Without parameters; empty where there is none. */
  media: z.string(),
  /** Documented headers by their names in small letters, each with its form. */
  headers: z.record(z.string(), z.string()),
  fields: z.record(z.string(), fieldShape),
  facts: z.array(fact),
});

const caseShape = z.strictObject({
  /** Its name in the plan. */
  id: z.string(),
  /** As the OpenAPI document calls it. */
  operation: z.string(),
  /** In words. */
  case: z.string(),
  shape: answerShape.optional(),
  /** Why there is none. */
  not_measured: z.string().optional(),
});

/** The file of `--shapes`: what was measured of a service, without a value of anybody. */
export const shapesFile = z.strictObject({
  /** Raised with every change that an older version could not read. */
  format: z.literal(1),
  /** Of the emulator that measured. */
  version: z.string(),
  /** When, as ISO time. */
  measured: z.iso.datetime(),
  /** The origin of the service. */
  against: z.string(),
  credits: z.int(),
  cases: z.array(caseShape),
});

export type FieldShape = z.infer<typeof fieldShape>;
export type Fact = z.infer<typeof fact>;
export type AnswerShape = z.infer<typeof answerShape>;
export type CaseShape = z.infer<typeof caseShape>;
export type ShapesFile = z.infer<typeof shapesFile>;

const DAY_MS = 86_400_000;
/** After so many days a service may have moved on. */
const FRESH_DAYS = 60;

/** The shapes of a file's text. Throws an `Error` that says in a sentence what is wrong with it. */
export function readShapes(text: string): ShapesFile {
  const { success, data, error } = shapesFile.safeParse(parsedJson(text));
  if (success) return data;
  const [issue] = error.issues;
  const where = issue?.path.join('.') || 'the file';
  throw new Error(
    `it is no file of shapes: ${where}: ${issue?.message}. Write one with drift --against URL --shapes FILE`,
  );
}

/** A warning for shapes that are older than 60 days; `now` in milliseconds. */
export function staleness({ measured }: ShapesFile, now: number): string | undefined {
  const days = Math.floor((now - Date.parse(measured)) / DAY_MS);
  if (days <= FRESH_DAYS) return undefined;
  return `These shapes were measured ${days} days ago; the service may have changed. Measure again with drift --against.`;
}

/** The file of what was measured; `now` in milliseconds. */
export function shapesText(
  { cases, credits }: { cases: readonly CaseShape[]; credits: number },
  against: string,
  now: number,
): string {
  const measured = new Date(now).toISOString();
  const file: ShapesFile = { format: 1, version: VERSION, measured, against, credits, cases: [...cases] };
  return `${JSON.stringify(file, null, 2)}\n`;
}
