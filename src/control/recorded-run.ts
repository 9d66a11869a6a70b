import { gunzipSync } from 'node:zlib';
import { readPlainFile } from '../base/config/plain-file.ts';
import { SERVICE } from '../service/api/routes.ts';
import { isShallow } from '../service/http/json-bounds.ts';

/** One request and its answer as a file has them; a body is a text, empty where there is none, and may be cut. */
interface RecordedExchange {
  method: string;
  /** With its query. */
  path: string;
  /** The operationId, where the file names it. */
  operation: string | undefined;
  /** 0: there was no answer. */
  status: number;
  request: string;
  answer: string;
}

/** What a file says of a run. */
export interface RecordedRun {
  exchanges: readonly RecordedExchange[];
  /** Types of the events that it made, one for each. */
  events: readonly string[];
}

/** The file holds no run; the message names the file and what was expected. */
export class NoRecordedRun extends Error {
  override name = 'NoRecordedRun';
}

const RECORD = /<script type="application\/gzip" id="record">([^<]*)<\/script>/;

/**
 * Reads a trace (`.html`), what `GET /_emulator/requests` answers, or a file with a request and its answer in each line, as
 * `svc-emulator record` writes it. Throws `NoRecordedRun`.
 */
export function readRecordedRun(file: string): RecordedRun {
  const run = parsed(textOf(file), file);
  if (run.exchanges.length > 0) return run;
  throw noRun(file, 'it has no request');
}

function textOf(file: string): string {
  try {
    return readPlainFile(file);
  } catch (error) {
    throw noRun(file, (error as Error).message);
  }
}

function parsed(text: string, file: string): RecordedRun {
  const [, packed] = RECORD.exec(text) ?? [];
  try {
    if (packed !== undefined) return ofTrace(JSON.parse(gunzipSync(Buffer.from(packed, 'base64')).toString()));
    return { exchanges: rowsOf(text).flatMap((row) => exchangeOf(row) ?? []), events: [] };
  } catch (error) {
    throw noRun(file, (error as Error).message);
  }
}

function noRun(file: string, why: string): NoRecordedRun {
  return new NoRecordedRun(
    `${file} holds no recorded run: ${why}. Expected a trace (--trace, svc-emulator trace save), the answer of GET /_emulator/requests, or a file of svc-emulator record.`,
  );
}

type Fields = Record<string, unknown>;

function ofTrace({ orders = [], answers }: { orders?: Fields[]; answers?: Fields }): RecordedRun {
  const records = orders.flatMap((order) => Object.entries(objectIn(order.records)));
  const requests = records.flatMap(([path, record]) => (path.startsWith('/requests/') ? [objectIn(record)] : []));
  const events = objectIn(answers?.['/events']).data;
  return {
    exchanges: requests.flatMap((row) => exchangeOf(row) ?? []),
    events: Array.isArray(events) ? events.map((event) => textIn(objectIn(event).type)) : [],
  };
}

/** A list as the control surface answers it, a JSON array, or one value a line. */
function rowsOf(text: string): Fields[] {
  const lines = wholeLines(text).filter((line) => line.trim() !== '');
  const values: unknown[] =
    isLine(lines[0]) && (lines.length > 1 || wasCut(text)) ? lines.map((line) => JSON.parse(line)) : [JSON.parse(text)];
  return values.flatMap((value) => (Array.isArray(value) ? value : (Object(value).data ?? value)) as Fields[]);
}

/** The lines of a recording. One that was killed may have written its last line in part: that one is left out. */
export function wholeLines(text: string): string[] {
  const lines = text.split('\n');
  return wasCut(text) ? lines.slice(0, -1) : lines;
}

function wasCut(text: string): boolean {
  const last = text.slice(text.lastIndexOf('\n') + 1).trim();
  if (last === '' || !text.includes('\n')) return false;
  try {
    JSON.parse(last);
    return false;
  } catch {
    return true;
  }
}

function isLine(line = ''): boolean {
  return line.startsWith('{') && line.trimEnd().endsWith('}');
}

/** A row of the journal has texts as `request` and `answer`; one of a proxy an object of each. */
function exchangeOf({
  method,
  path,
  operation,
  status,
  request,
  answer,
  response,
}: Fields): RecordedExchange | undefined {
  const asked = objectIn(request);
  const given = objectIn(response ?? answer);
  const where = pathIn(textIn(path ?? asked.path ?? asked.url));
  if (!where.startsWith('/v1/')) return undefined;
  return {
    method: textIn(method ?? asked.method),
    path: where,
    operation: typeof operation === 'string' ? operation : undefined,
    status: Number(status ?? given.status ?? 0),
    request: textIn(asked.body ?? request),
    answer: textIn(given.body ?? answer),
  };
}

/** Below the base URL, however that is called. */
function pathIn(given: string): string {
  return given.replace(/^https?:\/\/[^/]*/, '').replace(/^.*?(?=\/v1\/)/, '');
}

function objectIn(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function textIn(value: unknown): string {
  if (typeof value === 'string') return value;
  // What nests too deep cannot be written again.
  return value === undefined || value === null || !isShallow(value) ? '' : JSON.stringify(value);
}

/** A body may be cut, or be the events of a stream, neither of which is JSON to be parsed: names are found by their form. */
const FIELD = /(?<!\\)"([A-Za-z_]\w{0,63})"\s*:/g;

/** Names of the fields in JSON, whole or cut, or in the events of a stream. */
export function fieldsIn(text: string): string[] {
  return [...text.matchAll(FIELD)].map(([, name = '']) => name);
}

export function operationOf({ method, path, operation }: RecordedExchange): string | undefined {
  const [where = ''] = path.split('?');
  const served = SERVICE.find((each) => each.method === method && patternOf(each.path).test(where));
  return operation ?? served?.name;
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}/?$`);
}
