import type { z } from 'zod';
import { EmulatorError, type ErrorCode } from '../../base/errors.ts';
import { distinct, tryParseJson } from '../../base/text.ts';
import { SERVICE_OPERATIONS } from '../../service/api/routes.ts';
import { ERROR_TABLE, errorResponseSchema } from '../../service/http/error-response.ts';
import { InputReader } from '../../service/http/input.ts';
import { valueAt } from '../../service/http/issue-text.ts';
import type { Operation } from '../../service/http/operation.ts';
import { type HarEntry, parseEventStreamData } from './read-har.ts';

/** `where` is the path of a field, `status`, or empty for the whole. In a response, `[]` is any item. */
interface Difference {
  kind: 'request' | 'status' | 'body' | 'missing' | 'extra' | 'type' | 'value' | 'error';
  where: string;
  note: string;
}

/** `not_recorded` counts the entries without a difference that lack a body in the HAR. `entries` does not count them. */
function uncompared({ name, method, path }: Operation) {
  const differences: (Difference & { entries: number; first: number })[] = [];
  return { operation: name, method, path, entries: 0, fit: 0, not_recorded: 0, differences };
}

export type ComparedOperation = ReturnType<typeof uncompared>;
export type Comparison = ReturnType<typeof compareHar>;

const MAX_DIFFERENCES = 50;

export function compareHar(entries: readonly HarEntry[]) {
  const compared = new Map<string, ComparedOperation>();
  const skipped = { other_path: 0, no_response: 0, not_recorded: 0 };
  for (const entry of entries) {
    const operation = operationOf(entry);
    if (!operation) skipped.other_path += 1;
    else if (entry.status < 100) skipped.no_response += 1;
    else {
      const record = compared.get(operation.name) ?? uncompared(operation);
      compared.set(operation.name, record);
      const differences = compareEntry(operation, entry);
      if (differences) count(record, differences, entry.number);
      else record.not_recorded += 1;
    }
  }
  const operations = [...compared.values()];
  const sum = (field: 'entries' | 'not_recorded') => operations.reduce((total, each) => total + each[field], 0);
  skipped.not_recorded = sum('not_recorded');
  return { entries: entries.length, compared: sum('entries'), skipped, operations };
}

function count(record: ComparedOperation, differences: readonly Difference[], number: number): void {
  record.entries += 1;
  if (differences.length === 0) record.fit += 1;
  for (const difference of differences) {
    const known = record.differences.find((each) => keyOf(each) === keyOf(difference));
    if (known) known.entries += 1;
    else if (record.differences.length < MAX_DIFFERENCES) {
      record.differences.push({ ...difference, entries: 1, first: number });
    }
  }
}

function keyOf({ kind, where, note }: Difference): string {
  return JSON.stringify([kind, where, note]);
}

function operationOf({ method, url }: HarEntry): Operation | undefined {
  const found = url?.pathname.match(/\/v1\/.*$/)?.[0].replace(/\/$/, '') ?? '';
  const isAt = ({ path }: Operation) => new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`).test(found);
  return SERVICE_OPERATIONS.find((each) => each.method === method && isAt(each));
}

const NOT_RECORDED = Symbol('not recorded');
type Found = Difference | typeof NOT_RECORDED;

/** Undefined if nothing differs, and the HAR lacks a body. */
function compareEntry(operation: Operation, entry: HarEntry): Difference[] | undefined {
  const found =
    entry.status >= 400
      ? compareError(entry)
      : [...compareRequest(operation, entry), ...compareAnswer(operation, entry)];
  const differences = distinct(found.filter((each) => each !== NOT_RECORDED)).slice(0, MAX_DIFFERENCES);
  return differences.length === 0 && found.includes(NOT_RECORDED) ? undefined : differences;
}

function compareRequest({ query, body, upload }: Operation, { url, sent }: HarEntry): Found[] {
  const refused = query ? refusals(query, Object.fromEntries(url?.searchParams ?? [])) : [];
  if (!body || upload !== undefined) return refused;
  const text = sent();
  if (text === undefined) return [...refused, NOT_RECORDED];
  return [...refused, ...refusals(body, withFirstItems(tryParseJson(text)))];
}

function refusals(schema: z.ZodType, input: unknown): Difference[] {
  try {
    new InputReader(schema).read(input);
    return [];
  } catch (error) {
    if (!(error instanceof EmulatorError)) throw error;
    const note = `the emulator refuses it: ${plain(error.message, 300)}`;
    return [{ kind: 'request', where: error.param ?? '', note }];
  }
}

function compareAnswer(operation: Operation, { status, type, received }: HarEntry): Found[] {
  const { answer, accepted, streamed } = operation;
  const usual = answer === 'nothing' ? 204 : (operation.status ?? 200);
  if (status === 202 && accepted) return compareJson(accepted, received());
  if (status !== usual) {
    const known = accepted ? `${usual} or 202` : `${usual}`;
    return [{ kind: 'status', where: '', note: `${status}; the emulator returns ${known}` }];
  }
  if (answer === 'nothing') return [];
  if (typeof answer === 'string') return compareType(type, answer);
  if (streamed && type === 'text/event-stream') return compareEvents(streamed, received());
  return compareJson(answer, received());
}

function compareType(found: string, wanted: string): Found[] {
  // Chromium writes this type for a response whose type it did not keep.
  if (found === 'x-unknown') return [NOT_RECORDED];
  return found === wanted
    ? []
    : [bodyOf(`the body is ${plain(found) || 'of no type'}; the emulator returns ${wanted}`)];
}

function bodyOf(note: string): Difference {
  return { kind: 'body', where: '', note };
}

function compareEvents(streamed: z.ZodType, text: string | undefined): Found[] {
  if (text === undefined) return [NOT_RECORDED];
  if (text.trim() === '') return [bodyOf('the body is empty')];
  const events = [...parseEventStreamData(text)].slice(0, MAX_ITEMS);
  return events.flatMap((event) => (event === '[DONE]' ? [] : compareJson(streamed, event)));
}

function compareJson(schema: z.ZodType, text: string | undefined): Found[] {
  if (text === undefined) return [NOT_RECORDED];
  if (text.trim() === '') return [bodyOf('the body is empty')];
  const body = withFirstItems(tryParseJson(text));
  if (body === undefined) return [bodyOf('the body is not JSON')];
  const read = schema.safeParse(body);
  return read.success ? [] : read.error.issues.flatMap((issue) => differencesOf(issue, body));
}

const MAX_ITEMS = 100_000;
const MAX_DEPTH = 20;

/**
 * Limits the items of all arrays together, because a small compressed body can contain millions. Does not limit arrays
 * below 20 levels.
 */
function withFirstItems(value: unknown, depth = MAX_DEPTH, items = { left: MAX_ITEMS }): unknown {
  if (typeof value !== 'object' || value === null || depth === 0) return value;
  if (Array.isArray(value)) {
    const first = value.slice(0, items.left);
    items.left -= first.length;
    return first.map((each) => withFirstItems(each, depth - 1, items));
  }
  const fields = Object.entries(value).slice(0, MAX_ITEMS);
  return Object.fromEntries(fields.map(([name, each]) => [name, withFirstItems(each, depth - 1, items)]));
}

type Issue = z.core.$ZodIssue;

function differencesOf(issue: Issue, body: unknown, before: readonly PropertyKey[] = []): Difference[] {
  const path = [...before, ...issue.path];
  const where = pathText(path);
  const value = valueAt(body, path);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ kind: 'extra', where: pathText([...path, key]), note: 'not a field here' }));
  }
  if (value === undefined) return [{ kind: 'missing', where, note: 'the emulator returns it' }];
  if (issue.code === 'invalid_union') {
    const nearest =
      issue.errors.filter((each) => each.length > 0).sort((a, b) => unlikeliness(a) - unlikeliness(b))[0] ?? [];
    if (nearest.length > 0) return nearest.flatMap((each) => differencesOf(each, body, path));
  }
  if (issue.code === 'invalid_type') {
    return [{ kind: 'type', where, note: `${typeName(value)}; the emulator returns ${issue.expected}` }];
  }
  return [{ kind: 'value', where, note: 'a value that the emulator never returns' }];
}

/**
 * Ranks the branches of a union: one with few issues that are deep inside is probably the intended one. It gets the
 * lowest number.
 */
function unlikeliness(issues: readonly Issue[]): number {
  return issues.length - Math.max(...issues.map(({ path }) => path.length));
}

function compareError({ status, received }: HarEntry): Found[] {
  const text = received();
  const shape = compareJson(errorResponseSchema, text);
  if (shape.length > 0 || text === undefined) return shape;
  const { code, type } = errorResponseSchema.parse(tryParseJson(text)).error;
  const row = Object.hasOwn(ERROR_TABLE, code) ? ERROR_TABLE[code as ErrorCode] : undefined;
  if (!row) return [{ kind: 'error', where: 'error.code', note: `the emulator has no error ${plain(code)}` }];
  const found: Difference[] = [];
  if (row.status !== status) {
    found.push({ kind: 'error', where: 'status', note: `${status} with ${code}; the emulator returns ${row.status}` });
  }
  if (row.type !== type) {
    found.push({ kind: 'error', where: 'error.type', note: `${plain(type)}; the emulator returns ${row.type}` });
  }
  return found;
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

const MAX_SHOWN = 60;

function plain(text: string, longest = MAX_SHOWN): string {
  const shown = text.replaceAll(/[^\x20-\x7e]/g, '?');
  return shown.length > longest ? `${shown.slice(0, longest)}…` : shown;
}

function pathText(path: readonly PropertyKey[]): string {
  const parts = path.map((key) => (typeof key === 'number' ? '[]' : `.${plain(String(key))}`));
  return parts.join('').replace(/^\./, '');
}
