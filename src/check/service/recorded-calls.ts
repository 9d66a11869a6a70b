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
  requestType: string;
  /** Whether a key came with it; undefined where that is not recorded. */
  hasKey: boolean | undefined;
  /** 0: there was no answer. */
  status: number;
  /** By names in small letters; undefined where none are recorded. */
  headers: Record<string, string> | undefined;
  /** Undefined where it is not recorded, or cut. */
  answer: Buffer | undefined;
}

/** A file that is no recording; the message says which entry is at fault. */
export class BrokenRecording extends Error {
  override name = 'BrokenRecording';
}

const headerList = z.array(z.looseObject({ name: z.string(), value: z.string() })).default([]);
const harEntry = z.looseObject({
  request: z.looseObject({
    method: z.string(),
    url: z.string(),
    headers: headerList,
    postData: z.looseObject({ mimeType: z.string().default(''), text: z.string().optional() }).optional(),
  }),
  response: z.looseObject({
    status: z.number(),
    headers: headerList,
    content: z.looseObject({ text: z.string().optional(), encoding: z.string().optional() }).optional(),
  }),
});

const texts = z.union([z.record(z.string(), z.unknown()), headerList]).optional();
const side = z
  .union([z.string(), z.null(), z.looseObject({ headers: texts, body: z.unknown().optional() })])
  .optional();
/** A line of `svc-emulator record`, or of anybody who writes requests and answers. */
const line = z.looseObject({
  method: z.string().optional(),
  url: z.string().optional(),
  path: z.string().optional(),
  status: z.number().optional(),
  request: side,
  response: side,
  answer: side,
});

/** The calls of the service in a HAR, an NDJSON or a trace; `text` is that of the file. Throws `BrokenRecording`. */
export function readCalls(file: string, text: string): RecordedCall[] {
  const calls = found(file, text);
  if (calls.some(({ path }) => path.startsWith('/v1/'))) return calls;
  throw new BrokenRecording('it has no request of the service: none has /v1/ in its path');
}

function found(file: string, text: string): RecordedCall[] {
  if (/^\s*<|id="record"/.test(text.slice(0, 200)) || text.includes('id="record"')) return tracedCalls(file);
  if (/^\s*\{\s*"log"\s*:/.test(text)) return harCalls(text);
  return wholeLines(text).flatMap((each, at) => (each.trim() === '' ? [] : lineCall(each, at + 1)));
}

function tracedCalls(file: string): RecordedCall[] {
  return readRecordedRun(file).exchanges.map((exchange, at) => {
    const { method, operation, status, request, answer } = exchange;
    const path = normalPath(exchange.path);
    return {
      entry: at + 1,
      method,
      path,
      status,
      request,
      requestType: '',
      hasKey: undefined,
      headers: undefined,
      operation: operation ?? operationOf({ ...exchange, path }) ?? UNKNOWN,
      answer: answer === '' || isCut(answer) ? undefined : Buffer.from(answer),
    };
  });
}

/** Of a path that is no operation's. */
const UNKNOWN = 'listModels';

function harCalls(text: string): RecordedCall[] {
  const har = parsedJson(text);
  if (har === undefined) {
    const whole = text.split('"startedDateTime"').length - 1;
    throw new BrokenRecording(`entry ${Math.max(1, whole)} is cut or damaged: the file is no whole JSON`);
  }
  const { entries } = Object(Object(har).log);
  if (!Array.isArray(entries)) throw new BrokenRecording('it has no entries');
  return entries.flatMap((each, at) => harCall(each, at + 1));
}

function harCall(record: unknown, entry: number): RecordedCall[] {
  const { success, data } = harEntry.safeParse(record);
  if (!success) throw new BrokenRecording(`entry ${entry} is no request with its answer`);
  const { request, response } = data;
  const { text, encoding } = response.content ?? {};
  return made(entry, {
    method: request.method,
    url: request.url,
    request: request.postData?.text ?? '',
    asked: named(request.headers),
    requestType: request.postData?.mimeType ?? '',
    status: response.status,
    headers: named(response.headers),
    answer: text === undefined ? undefined : Buffer.from(text, encoding === 'base64' ? 'base64' : 'utf8'),
  });
}

function lineCall(text: string, entry: number): RecordedCall[] {
  const { success, data } = line.safeParse(parsedJson(text));
  if (!success) throw new BrokenRecording(`entry ${entry} is cut or damaged: its line is no request with its answer`);
  const asked = Object(data.request);
  const response = Object(data.response ?? data.answer);
  const body = bodyText(typeof data.answer === 'string' ? data.answer : response.body);
  return made(entry, {
    method: data.method ?? String(asked.method ?? 'GET'),
    url: data.url ?? data.path ?? String(asked.url ?? asked.path ?? ''),
    request: bodyText(typeof data.request === 'string' ? data.request : asked.body),
    asked: asked.headers === undefined ? undefined : named(asked.headers),
    requestType: '',
    status: data.status ?? Number(response.status ?? 0),
    headers: response.headers === undefined ? undefined : named(response.headers),
    answer: body === '' || isCut(body) ? undefined : Buffer.from(body),
  });
}

interface Parts extends Pick<RecordedCall, 'method' | 'request' | 'requestType' | 'status' | 'headers' | 'answer'> {
  url: string;
  asked: Record<string, string> | undefined;
}

/** Nothing for what is not of the service, such as the pictures of a page. */
function made(entry: number, { url, asked, requestType, ...call }: Parts): RecordedCall[] {
  if (!url.includes('/v1/')) return [];
  const path = normalPath(url);
  const { method, status, request } = call;
  const made = {
    entry,
    ...call,
    path,
    operation: operationOf({ method, path, operation: undefined, status, request, answer: '' }) ?? UNKNOWN,
    requestType: mediaType(asked?.['content-type'] ?? requestType),
    hasKey: asked && Object.hasOwn(asked, 'authorization'),
  };
  return [made];
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

function bodyText(body: unknown): string {
  if (typeof body === 'string') return body;
  if (!isShallow(body)) return TOO_DEEP;
  return body === undefined || body === null ? '' : JSON.stringify(body);
}

/** Headers by their names in small letters, from a list or an object. */
function named(headers: unknown): Record<string, string> {
  const pairs = Array.isArray(headers)
    ? headers.map(({ name, value }) => [name, value])
    : Object.entries(Object(headers)).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]);
  return Object.fromEntries(pairs.map(([name, value]) => [String(name).toLowerCase(), String(value)]));
}
