import { ControlError } from '../../../control/control-errors.ts';
import type { TraceFile } from '../../../control/trace/trace-file.ts';
import { PageStore } from './browser.ts';

interface TraceSource {
  readonly trace: TraceFile;
  get(path: string, query: URLSearchParams): unknown;
  file(path: string): string | undefined;
}

/** For a file that the trace does not contain. */
const NO_PICTURE = 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==';

/** Undefined for a live emulator. */
class RecordSource extends PageStore<TraceSource | undefined> {
  file(url: string): string {
    const { pathname } = new URL(url, 'http://localhost');
    return this.value?.file(pathname) ?? NO_PICTURE;
  }
}

export const recordSource = new RecordSource(undefined);

class Unreachable extends Error {
  override name = 'Unreachable';
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type Params = Record<string, string | number | boolean | null | undefined>;

/** Omits null, undefined and empty values. */
export function withParams(path: string, params: Params = {}): string {
  const given = Object.entries(params).filter(([, value]) => value != null && value !== '');
  if (given.length === 0) return path;
  return `${path}?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

/** `/accounts` is `/_emulator/accounts`. Throws `ControlError` or `Unreachable`. */
export function callControl<T>(method: Method, path: string, body?: unknown): Promise<T> {
  return callJson<T>(method, `/_emulator${path}`, body);
}

export function callService<T>(
  method: Method,
  path: string,
  { key, body }: { key: string; body?: unknown },
): Promise<T> {
  return callJson<T>(method, `/v1${path}`, body, { authorization: `Bearer ${key}` });
}

export async function sendForm<T>(path: string, { key, form }: { key: string; form: FormData }) {
  const headers = { accept: 'application/json', authorization: `Bearer ${key}` };
  return readAnswer<T>(await fetchApi(`/v1${path}`, { method: 'POST', headers, body: form }));
}

function fromRecord<T>(answers: TraceSource, method: Method, address: string): T {
  const [path = '', query = ''] = address.split('?');
  if (method !== 'GET') throw new ControlError(405, NO_EMULATOR);
  const found = answers.get(path.replace('/_emulator', ''), new URLSearchParams(query));
  if (found === undefined) throw new ControlError(404, { code: 'not_found', message: NOT_TRACED, param: null });
  return found as T;
}

const NO_EMULATOR = {
  code: 'method_not_allowed',
  message: 'This is the trace of a run and cannot be changed. Start an emulator to do this.',
  param: null,
};
const NOT_TRACED = 'It is not in this trace.';

async function callJson<T>(
  method: Method,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<T> {
  if (recordSource.value) return fromRecord<T>(recordSource.value, method, path);
  const typed: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
  const response = await fetchApi(path, {
    method,
    headers: { accept: 'application/json', ...typed, ...headers },
    body: body === undefined ? null : JSON.stringify(body),
  });
  return readAnswer<T>(response);
}

/** Throws `ControlError` for an error response. */
export async function readAnswer<T>(response: Response): Promise<T> {
  const text = await response.text();
  if (response.ok) return (text === '' ? undefined : JSON.parse(text)) as T;
  const { status, statusText } = response;
  const unreadable = { code: 'unreadable', message: `${status} ${statusText}`, param: null };
  throw new ControlError(status, Object(readJson(text)).error ?? unreadable);
}

/** The header of calls by the user, so that even reads are recorded. Reads by the page are not. */
export const BY_HAND = { 'svc-emulator-by-hand': '1' };

export async function fetchApi(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, init);
  } catch {
    throw new Unreachable('The emulator does not respond. Is it running?');
  }
}

/** Undefined if it is not JSON. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export async function openSession(token: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  await callJson<void>('POST', '/_emulator/session', undefined, headers);
}

export function localUrl(url: string): string {
  if (recordSource.value) return recordSource.file(url);
  const { pathname, search } = new URL(url, location.origin);
  return pathname + search;
}
