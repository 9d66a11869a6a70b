import { z } from 'zod';
import { parsedJson } from '../../base/text.ts';
import { operationOf, readRecordedRun, wholeLines } from '../../control/recorded-run.ts';
import { isCut } from '../../engine/journal/redaction.ts';
import { DEEPEST, isShallow } from '../../service/http/json-bounds.ts';
import { mediaType } from './shapes.ts';

/** A request and its answer as somebody has recorded them. */
export interface RecordedCall {
  /** Its number in the file, from 1. */
  entry: number;
  method: string;
  /** From `/v1` on, with its query, and without dots; it begins otherwise where these lead elsewhere. */
  path: string;
  operation: string;
  request: string;
  /** That as JSON, where it is JSON. */
  sent: unknown;
  requestType: string;
  /** Whether a key came with it; undefined where that is not recorded. */
  hasKey: boolean | undefined;
  /** 0: there was no answer. */
  status: number;
  /** By names in small letters; undefined where none are recorded. */
  headers: Record<string, string> | undefined;
  /** Undefined where it is not recorded, or cut. */
  answer: Buffer | undefined;
  /** That as JSON. */
  json: unknown;
}

/** A file that is no recording; the message says which entry is at fault. */
export class BrokenRecording extends Error {
  override name = 'BrokenRecording';
}

const headerList = z.array(z.looseObject({ name: z.string(), value: z.string() }));
const side = z.looseObject({ headers: headerList.or(z.record(z.string(), z.unknown())).optional() });
const sideOrBody = z.union([z.string().transform((body) => ({ body })), z.null().transform(() => ({})), side]);

/** A line of `svc-emulator record`, or of anybody who writes requests and answers; a request of a trace is one too. */
const line = z.looseObject({
  method: z.string().optional(),
  url: z.string().optional(),
  path: z.string().optional(),
  status: z.number().optional(),
  request: sideOrBody.optional(),
  response: sideOrBody.optional(),
  answer: sideOrBody.optional(),
});

/** An entry of a HAR, as such a line. */
const harEntry = z
  .looseObject({
    request: z.looseObject({
      method: z.string(),
      url: z.string(),
      headers: headerList.default([]),
      postData: z.looseObject({ mimeType: z.string().default(''), text: z.string().default('') }).optional(),
    }),
    response: z.looseObject({
      status: z.number(),
      headers: headerList.default([]),
      content: z.looseObject({ text: z.string().optional(), encoding: z.string().optional() }).default({}),
    }),
  })
  .transform(({ request: { method, url, headers, postData }, response: { status, headers: given, content } }) => {
    const type = { name: 'content-type', value: postData?.mimeType ?? '' };
    const body = Buffer.from(content.text ?? '', content.encoding === 'base64' ? 'base64' : 'utf8');
    const request = { headers: [type, ...headers], body: postData?.text };
    return { method, url, status, request, answer: { headers: given, body } };
  });

/** The calls of the service in a HAR, an NDJSON or a trace; `text` is that of the file. Throws `BrokenRecording`. */
export function readCalls(file: string, text: string): RecordedCall[] {
  const calls = found(file, text);
  if (calls.some(({ path }) => path.startsWith('/v1/'))) return calls;
  throw new BrokenRecording('it has no request of the service: none has /v1/ in its path');
}

function found(file: string, text: string): RecordedCall[] {
  if (/^\s*</.test(text) || text.includes('id="record"')) {
    return readRecordedRun(file).exchanges.flatMap((each, at) => callOf(each, at + 1, line));
  }
  if (/^\s*\{\s*"log"\s*:/.test(text)) return entriesOf(text).flatMap((each, at) => callOf(each, at + 1, harEntry));
  return wholeLines(text).flatMap((each, at) => (each.trim() === '' ? [] : callOf(parsedJson(each), at + 1, line)));
}

function entriesOf(text: string): unknown[] {
  const har = parsedJson(text);
  if (har === undefined) {
    const whole = text.split('"startedDateTime"').length - 1;
    throw new BrokenRecording(`entry ${Math.max(1, whole)} is cut or damaged: the file is no whole JSON`);
  }
  const { entries } = Object(Object(har).log);
  if (!Array.isArray(entries)) throw new BrokenRecording('it has no entries');
  return entries;
}

/** Of a path that is no operation's. */
const UNKNOWN = 'listModels';

/** Nothing for what is not of the service, such as the pictures of a page. */
function callOf(record: unknown, entry: number, kind: z.ZodType<z.output<typeof line>>): RecordedCall[] {
  const { success, data } = kind.safeParse(record);
  if (!success) {
    const fault =
      kind === line ? 'cut or damaged: its line is no request with its answer' : 'no request with its answer';
    throw new BrokenRecording(`entry ${entry} is ${fault}`);
  }
  const asked = Object(data.request);
  const given: Record<string, unknown> = { ...data.answer, ...data.response };
  const url = data.url ?? data.path ?? String(asked.url ?? asked.path ?? '');
  if (!url.includes('/v1/')) return [];
  const method = data.method ?? String(asked.method ?? 'GET');
  const path = normalPath(url);
  const status = data.status ?? Number(given.status ?? 0);
  const request = bytesOf(asked.body).toString();
  const head = named(asked.headers);
  const bytes = bytesOf(given.body);
  const text = bytes.toString();
  const isRecorded = text !== '' && !isCut(text);
  const call = {
    ...{ entry, method, path, request, status },
    operation: operationOf({ method, path, operation: undefined, status, request, answer: '' }) ?? UNKNOWN,
    sent: parsedJson(request),
    requestType: mediaType(head?.['content-type']),
    hasKey: head && Object.hasOwn(head, 'authorization'),
    headers: named(given.headers),
    answer: isRecorded ? bytes : undefined,
    json: isRecorded ? parsedJson(text) : undefined,
  };
  return [call];
}

/** What a client that sends it asks for: without `.` and `..`, in any spelling, and from `/v1/` on where that is left. */
function normalPath(url: string): string {
  const [plain = ''] = url.replace(/^https?:\/\/[^/?#]*/, '').split('#', 1);
  const base = `http://service.invalid${plain.startsWith('/') ? '' : '/'}${plain}`;
  if (!URL.canParse(base)) return '';
  const { pathname, search } = new URL(base);
  return `${pathname.replace(/^.*?(?=\/v1\/)/, '')}${search}`;
}

/** Stands for a body that nests so deep that it cannot be written again. */
const TOO_DEEP = `${'['.repeat(DEEPEST + 1)}${']'.repeat(DEEPEST + 1)}`;

function bytesOf(body: unknown): Buffer {
  if (Buffer.isBuffer(body)) return body;
  if (body === undefined || body === null) return Buffer.alloc(0);
  if (typeof body === 'string') return Buffer.from(body);
  return Buffer.from(isShallow(body) ? JSON.stringify(body) : TOO_DEEP);
}

/** Headers by their names in small letters, from a list or an object. */
function named(headers: unknown): Record<string, string> | undefined {
  if (headers === undefined) return undefined;
  const pairs = Array.isArray(headers)
    ? headers.map(({ name, value }) => [name, value])
    : Object.entries(Object(headers)).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]);
  return Object.fromEntries(pairs.map(([name, value]) => [String(name).toLowerCase(), String(value)]));
}
