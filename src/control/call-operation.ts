import { didYouMeanText } from '../base/text.ts';
import { OPERATION_ROUTES } from './operation-routes.ts';
import type { WireTypesByOperation } from './operation-types.ts';

export type OperationName = keyof WireTypesByOperation;

/** The response with the field names of the JSON: a string for an HTML page, undefined for an empty response. */
export type WireAnswer<Name extends OperationName> = WireTypesByOperation[Name]['answer'];

/** The parameters of path, query and body together. */
export type WireInput<Name extends OperationName> = WireTypesByOperation[Name]['input'];

/** Undefined fields are not sent. */
export type Query = Record<string, string | number | boolean | undefined>;

/**
 * Resolves to parsed JSON, a text, or undefined for an empty response. Rejects with `ControlError` for an error of the
 * emulator.
 */
export type Transport = (
  method: string,
  path: string,
  input?: { query?: Query | undefined; body?: unknown },
) => Promise<unknown>;

/** Calls an operation with the field names of the JSON: `call('createHold', { at: 'request' })`. */
export type OperationCaller = <Name extends OperationName>(
  name: Name,
  ...input: object extends WireInput<Name> ? [input?: WireInput<Name>] : [input: WireInput<Name>]
) => Promise<WireAnswer<Name>>;

export function createOperationCaller(transport: Transport): OperationCaller {
  return async (name, ...[input]) => (await sendOperation(name, input ?? {}, transport)) as WireAnswer<typeof name>;
}

/** Rejects with `TypeError` for an unknown name, and for a missing or invalid path parameter. */
export async function sendOperation(
  name: string,
  input: Readonly<Record<string, unknown>>,
  transport: Transport,
): Promise<unknown> {
  const [method, path, takes] = requireOperationRoute(name);
  const fields = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  const filled = path.replace(/:(\w+)/g, (_, parameter: string) => {
    const value = fields.get(parameter);
    if (value === undefined) throw new TypeError(`${name} lacks ${parameter}; expected a value for its path.`);
    if (!isSafePathParameter(String(value))) throw new TypeError(`${name}: ${parameter} ${INVALID_RECORD_ID_MESSAGE}`);
    fields.delete(parameter);
    return encodeURIComponent(String(value));
  });
  const rest = Object.fromEntries(fields);
  return transport(method, filled, takes === 'body' ? { body: rest } : { query: rest as Query });
}

/** With an empty parameter, `.` or `..`, the path could name another list or record. */
export const INVALID_RECORD_ID_MESSAGE = 'is empty, "." or ".."; expected the id or name of one record.';

export function isSafePathParameter(parameter: string): boolean {
  return !['', '.', '..'].includes(parameter);
}

const ROUTES: Readonly<Record<OperationName, readonly [method: string, path: string, takes: 'body' | 'query']>> =
  OPERATION_ROUTES;

export function requireOperationRoute(name: string): (typeof ROUTES)[OperationName] {
  if (Object.hasOwn(ROUTES, name)) return ROUTES[name as OperationName];
  throw new TypeError(`There is no operation ${name}.${didYouMeanText(name, Object.keys(ROUTES))}`);
}

export type ListItem<List> = List extends readonly (infer Item)[] ? Item : never;
