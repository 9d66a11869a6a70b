import { tryParseJson } from '../../../base/text.ts';
import {
  type OperationName,
  sendOperation,
  type Transport,
  type WireAnswer,
  type WireInput,
} from '../../../control/call-operation.ts';
import { ControlError } from '../../../control/control-errors.ts';
import { PageStore } from './browser.ts';
import type { TraceResponseSource } from './trace-record.ts';

const NO_PICTURE = 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==';

/** The trace that the page shows. Undefined for a live emulator. */
export const traceSource = new PageStore<TraceResponseSource | undefined>(undefined);

type Params = Readonly<Record<string, unknown>>;

export function withQueryParams(path: string, params: Params = {}): string {
  const given = Object.entries(params).filter(([, value]) => value !== undefined && value !== '');
  if (given.length === 0) return path;
  return `${path}?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

/**
 * Calls a control operation, or reads its response from the trace that the page shows. Throws `ControlError`
 * for an error of the emulator.
 */
export async function callControl<Name extends OperationName>(
  name: Name,
  input: WireInput<Name>,
): Promise<WireAnswer<Name>> {
  const source = traceSource.value;
  const given = input as Readonly<Record<string, unknown>>;
  return (source ? source.answer(name, given) : await sendOperation(name, given, transport)) as WireAnswer<Name>;
}

const ACCEPTED = { accept: 'application/json' };

const transport: Transport = async (method, path, { query, body } = {}) => {
  const typed: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
  const sent = { method, headers: { ...ACCEPTED, ...typed }, body: body === undefined ? null : JSON.stringify(body) };
  return readAnswer(await fetchFromEmulator(withQueryParams(path, query), sent));
};

export async function callService<T>(
  method: 'POST' | 'DELETE',
  path: string,
  { key, form }: { key: string; form?: FormData },
): Promise<T> {
  return readAnswer(await sendAsUser({ method, path: `/v1${path}`, request: null }, key, form && { body: form })) as T;
}

async function readAnswer(response: Response): Promise<unknown> {
  const text = await response.text();
  const { ok, status, statusText, headers } = response;
  if (!ok) {
    const unreadable = { code: 'unreadable', message: `${status} ${statusText}`, param: null };
    throw new ControlError(status, Object(tryParseJson(text)).error ?? unreadable);
  }
  if (text === '') return undefined;
  return headers.get('content-type')?.startsWith('application/json') ? JSON.parse(text) : text;
}

/** Sends a request of the user, so that even a read is recorded. Reads by the page are not recorded. */
export function sendAsUser(
  { method, path, request }: { method: string; path: string; request: string | null },
  key: string,
  init?: RequestInit,
): Promise<Response> {
  const typed: Record<string, string> = request === null ? {} : { 'content-type': 'application/json' };
  const headers = { 'svc-emulator-by-hand': '1', ...typed, authorization: `Bearer ${key}` };
  return fetchFromEmulator(path, { method, headers, body: request, ...init });
}

export async function fetchFromEmulator(path: string, init: RequestInit = {}): Promise<Response> {
  try {
    return await fetch(path, init);
  } catch {
    throw new Error('The emulator does not respond. Is it running?');
  }
}

/**
 * Signs the browser in with the control token. This is not an operation of `callControl`, because it is for browsers
 * only.
 */
export async function openSession(token: string): Promise<void> {
  const headers = { ...ACCEPTED, authorization: `Bearer ${token}` };
  await readAnswer(await fetchFromEmulator('/_emulator/session', { method: 'POST', headers }));
}

export function loadableFileUrl(url: string): string {
  const { pathname, search } = new URL(url, 'http://localhost');
  return traceSource.value ? (traceSource.value.file(pathname) ?? NO_PICTURE) : pathname + search;
}
