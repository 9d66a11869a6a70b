import { nearestName } from '../base/text.ts';
import { OPERATION_ROUTES } from './operation-routes.ts';
import type { OperationWire } from './operation-types.ts';

export type OperationName = keyof OperationWire;

/** What an operation answers, in the field names of the JSON; a page or a text as a string. */
export type WireAnswer<Name extends OperationName> = OperationWire[Name]['answer'];

/** What an operation takes: the parameters of its path, its query and its body in one object. */
export type WireInput<Name extends OperationName> = OperationWire[Name]['input'];

/** The fields of a query; those that are undefined are left out. */
export type Query = Record<string, string | number | boolean | undefined>;

/** What a request carries beside its method and path. */
export interface TransportInput {
  query?: Query | undefined;
  /** What is sent as JSON; nothing is sent where it is undefined. */
  body?: unknown;
}

/**
 * Carries one request to the control surface and resolves with its answer: parsed JSON, a text, or undefined for an empty
 * one. Over HTTP it is `ControlConnection.transport`, which rejects with `ControlError` or `NoEmulator`; within the process
 * of the emulator it is `Emulator.control`, which rejects with `EmulatorError`. Paths begin with `/_emulator`.
 */
export type Transport = (method: string, path: string, input?: TransportInput) => Promise<unknown>;

/** Calls one operation by its name, with the field names of the JSON: `call('createHold', { at: 'request' })`. */
export type CallOperation = <Name extends OperationName>(
  name: Name,
  ...input: object extends WireInput<Name> ? [input?: WireInput<Name>] : [input: WireInput<Name>]
) => Promise<WireAnswer<Name>>;

/** The operations of the control surface over one transport, as in `operationsOver(connection.transport)('getJob', { id })`. */
export function operationsOver(transport: Transport): CallOperation {
  return async (name, ...[input]) => (await sendOperation(name, input ?? {}, transport)) as WireAnswer<typeof name>;
}

/**
 * The same for a name that is known at run time only. What the path does not name goes into the body or the query.
 * Rejects with `TypeError` for an unknown name and a missing parameter of the path.
 */
export async function sendOperation(
  name: string,
  input: Readonly<Record<string, unknown>>,
  transport: Transport,
): Promise<unknown> {
  const [method, path, takes] = routeOf(name);
  const fields = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  const filled = path.replace(/:(\w+)/g, (_, parameter: string) => {
    const value = fields.get(parameter);
    if (value === undefined) throw new TypeError(`${name} lacks ${parameter}; expected what its path names.`);
    if (!namesOne(String(value))) throw new TypeError(`${name}: ${parameter} ${NOT_ONE}`);
    fields.delete(parameter);
    return encodeURIComponent(String(value));
  });
  const rest = Object.fromEntries(fields);
  return transport(method, filled, takes === 'body' ? { body: rest } : { query: rest as Query });
}

/** The fault of a parameter of a path that would make it another path: that of all records, or of another resource. */
export const NOT_ONE = 'is empty, "." or ".."; expected the id or name of one record.';

export function namesOne(parameter: string): boolean {
  return !['', '.', '..'].includes(parameter);
}

const ROUTES: Readonly<Record<OperationName, readonly [method: string, path: string, takes: 'body' | 'query']>> =
  OPERATION_ROUTES;

/** Method, path and where the fields go. Throws `TypeError` for a name that no operation has. */
export function routeOf(name: string): (typeof ROUTES)[OperationName] {
  if (Object.hasOwn(ROUTES, name)) return ROUTES[name as OperationName];
  const nearest = nearestName(name, Object.keys(ROUTES));
  throw new TypeError(`There is no operation ${name}. Did you mean ${nearest}?`);
}

/** One record of a list. */
export type ItemOf<List> = List extends readonly (infer Item)[] ? Item : never;
