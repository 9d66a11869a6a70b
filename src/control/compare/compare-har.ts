import { gunzipSync } from 'node:zlib';
import { z } from 'zod';
import { EmulatorError, type ErrorCode, invalid } from '../../base/errors.ts';
import { parsedJson } from '../../base/text.ts';
import { SERVICE } from '../../service/api/routes.ts';
import { ERROR_TABLE, errorSchema } from '../../service/http/error-printer.ts';
import { InputReader } from '../../service/http/input.ts';
import { valueAt } from '../../service/http/issue-text.ts';
import type { Operation } from '../../service/http/operation.ts';

/** MiB. */
export const MOST_HAR_MIB = 50;
/** `where` is the path of a field; `[]` is any item. */
interface Difference {
  kind: 'request' | 'status' | 'body' | 'missing' | 'extra' | 'type' | 'value' | 'error';
  where: string;
  note: string;
}

/** `first` is the number of the first entry with this difference. */
interface CountedDifference extends Difference {
  entries: number;
  first: number;
}

export interface ComparedOperation {
  operation: string;
  method: string;
  path: string;
  entries: number;
  fit: number;
  differences: CountedDifference[];
}

export interface Comparison {
  entries: number;
  compared: number;
  skipped: { other_path: number; no_response: number };
  operations: ComparedOperation[];
}

const MOST_DIFFERENCES = 50;

export function compareHar(entries: readonly HarEntry[]): Comparison {
  const compared = new Map<string, ComparedOperation>();
  const skipped = { other_path: 0, no_response: 0 };
  for (const entry of entries) {
    const operation = operationOf(entry);
    if (!operation) skipped.other_path += 1;
    else if (entry.status < 100) skipped.no_response += 1;
    else {
      const { name, method, path } = operation;
      const known = compared.get(name);
      const record = known ?? { operation: name, method, path, entries: 0, fit: 0, differences: [] };
      compared.set(name, record);
      count(record, compareEntry(operation, entry), entry.number);
    }
  }
  const operations = [...compared.values()];
  const total = operations.reduce((sum, each) => sum + each.entries, 0);
  return { entries: entries.length, compared: total, skipped, operations };
}

function count(record: ComparedOperation, differences: readonly Difference[], number: number): void {
  record.entries += 1;
  if (differences.length === 0) record.fit += 1;
  const seen = new Set<string>();
  for (const difference of differences) {
    const key = keyOf(difference);
    if (seen.has(key)) continue;
    seen.add(key);
    const known = record.differences.find((each) => keyOf(each) === key);
    if (known) known.entries += 1;
    else if (record.differences.length < MOST_DIFFERENCES) {
      record.differences.push({ ...difference, entries: 1, first: number });
    }
  }
}

function keyOf({ kind, where, note }: Difference): string {
  return JSON.stringify([kind, where, note]);
}

function operationOf({ method, url }: HarEntry): Operation | undefined {
  const path = url?.pathname.match(/\/v1\/.*$/)?.[0].replace(/\/$/, '');
  return SERVICE.find((each) => each.method === method && path !== undefined && PATTERNS.get(each.name)?.test(path));
}

const PATTERNS = new Map(
  SERVICE.map(({ name, path }) => [name, new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`)] as const),
);

function compareEntry(operation: Operation, entry: HarEntry): Difference[] {
  const { status } = entry;
  if (status >= 400) return compareError(entry);
  return [...compareRequest(operation, entry), ...compareAnswer(operation, entry)];
}

/** Requests that the real service accepted and the emulator would reject. */
function compareRequest({ query, body, upload }: Operation, { url, sent }: HarEntry): Difference[] {
  const refused: Difference[] = [];
  const read = (schema: z.ZodType, input: unknown) => {
    try {
      new InputReader(schema).read(input);
    } catch (error) {
      if (!(error instanceof EmulatorError)) throw error;
      refused.push({
        kind: 'request',
        where: error.param ?? '',
        note: `the emulator refuses it: ${plain(error.message, 300)}`,
      });
    }
  };
  if (query) read(query, Object.fromEntries(url?.searchParams ?? []));
  if (body && upload === undefined && sent) read(body, parsedJson(sent.text));
  return refused;
}

function compareAnswer(operation: Operation, { status, received }: HarEntry): Difference[] {
  const { answer, accepted, streamed } = operation;
  const usual = answer === 'nothing' ? 204 : (operation.status ?? 200);
  if (status === 202 && accepted) return compareJson(accepted, received.text);
  if (status !== usual) {
    const known = accepted ? `${usual} or 202` : `${usual}`;
    return [{ kind: 'status', where: '', note: `${status}; the emulator returns ${known}` }];
  }
  if (answer === 'nothing') return [];
  if (typeof answer === 'string') return received.type === answer ? [] : [otherType(received.type, answer)];
  if (streamed && received.type === 'text/event-stream') return compareEvents(streamed, received.text);
  return compareJson(answer, received.text);
}

function otherType(found: string, wanted: string): Difference {
  return {
    kind: 'body',
    where: '',
    note: `the body is ${plain(found) || 'of no type'}; the emulator returns ${wanted}`,
  };
}

function compareEvents(streamed: z.ZodType, text = ''): Difference[] {
  const events = text.split('\n').flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trim()] : []));
  return events.filter((event) => event !== '[DONE]').flatMap((event) => compareJson(streamed, event));
}

function compareJson(schema: z.ZodType, text: string | undefined): Difference[] {
  if (text === undefined) return [{ kind: 'body', where: '', note: 'the HAR does not contain the body' }];
  if (text.trim() === '') return [{ kind: 'body', where: '', note: 'the body is empty' }];
  const body = parsedJson(text);
  if (body === undefined) return [{ kind: 'body', where: '', note: 'the body is not JSON' }];
  const read = schema.safeParse(body);
  return read.success ? [] : read.error.issues.flatMap((issue) => differencesOf(issue, body));
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
    const nearest = issue.errors.filter((each) => each.length > 0).sort((a, b) => weight(a) - weight(b))[0] ?? [];
    if (nearest.length > 0) return nearest.flatMap((each) => differencesOf(each, body, path));
  }
  if (issue.code === 'invalid_type') {
    return [{ kind: 'type', where, note: `${typeName(value)}; the emulator returns ${issue.expected}` }];
  }
  return [{ kind: 'value', where, note: 'a value that the emulator never returns' }];
}

/** The intended branch of a union has the deepest and the fewest issues. */
function weight(issues: readonly Issue[]): number {
  return issues.length - Math.max(...issues.map(({ path }) => path.length));
}

function compareError({ status, received: { text } }: HarEntry): Difference[] {
  const shape = compareJson(errorSchema, text);
  if (shape.length > 0) return shape;
  const { code, type } = errorSchema.parse(parsedJson(text ?? '')).error;
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

const LONGEST = 60;

function plain(text: string, longest = LONGEST): string {
  const shown = text.replaceAll(/[^\x20-\x7e]/g, '?');
  return shown.length > longest ? `${shown.slice(0, longest)}…` : shown;
}

/** `data[].url`: all items of an array have the same path. */
function pathText(path: readonly PropertyKey[]): string {
  const parts = path.map((key) => (typeof key === 'number' ? '[]' : `.${plain(String(key))}`));
  return parts.join('').replace(/^\./, '');
}

const MOST_BODY = MOST_HAR_MIB * 1_048_576;

const content = z.looseObject({
  mimeType: z.string().nullish(),
  text: z.string().nullish(),
  encoding: z.string().nullish(),
});

const harFile = z.looseObject({
  log: z.looseObject({
    entries: z.array(
      z.looseObject({
        request: z.looseObject({
          method: z.string(),
          url: z.string(),
          postData: z.looseObject({ mimeType: z.string().nullish(), text: z.string().nullish() }).nullish(),
        }),
        response: z.looseObject({ status: z.int(), content: content.nullish() }),
      }),
    ),
  }),
});

/** Texts are undefined if the HAR does not contain them. */
interface HarEntry {
  /** From 1, in the order of the file. */
  number: number;
  method: string;
  url: URL | undefined;
  sent: { type: string; text: string } | undefined;
  status: number;
  received: { type: string; text: string | undefined };
}

/** Throws `invalid_request` for any other file. */
export function readHar(text: string): HarEntry[] {
  const read = harFile.safeParse(parsedJson(text));
  if (!read.success) {
    const [issue] = read.error.issues;
    throw invalid(
      null,
      `The file is not a HAR: ${issue?.path.join('.') || 'the file'} is missing or has another type. Record one with the developer tools of a browser ("Save all as HAR with content").`,
    );
  }
  return read.data.log.entries.map(({ request: { method, url, postData: sent }, response }, position) => ({
    number: position + 1,
    method: method.toUpperCase(),
    url: URL.canParse(url) ? new URL(url) : undefined,
    sent: typeof sent?.text === 'string' ? { type: mediaType(sent.mimeType), text: sent.text } : undefined,
    status: response.status,
    received: {
      type: mediaType(response.content?.mimeType),
      text: response.content ? decoded(response.content) : undefined,
    },
  }));
}

function mediaType(type: string | null | undefined): string {
  return (type ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

/** Decodes base64 and gzip. Undefined if the body was not recorded or is too large. */
function decoded({ text, encoding }: z.output<typeof content>): string | undefined {
  if (typeof text !== 'string') return undefined;
  if (encoding !== 'base64') return text;
  const bytes = Buffer.from(text, 'base64');
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes.toString('utf8');
  try {
    return gunzipSync(bytes, { maxOutputLength: MOST_BODY }).toString('utf8');
  } catch {
    return undefined;
  }
}
