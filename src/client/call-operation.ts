import { nearestName } from '../config/edit-distance.ts';
import type { OperationName, WireAnswer, WireInput } from '../control/operation-types.ts';
import type { Operation } from '../http/operation.ts';

export type { OperationName, WireAnswer, WireInput };

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

/**
 * Calls one operation of the control surface by its name, as in
 * `callOperation('getJob', { id }, connection.transport)`. Input and answer have the field names of the JSON.
 * The operations are loaded by the first call.
 */
export async function callOperation<Name extends OperationName>(
  name: Name,
  input: WireInput<Name>,
  transport: Transport,
): Promise<WireAnswer<Name>> {
  return (await sendOperation(await findOperation(name), input, transport)) as WireAnswer<Name>;
}

/** `callOperation` over one transport: `call('createHold', { at: 'request' })`. */
export type CallOperation = <Name extends OperationName>(
  name: Name,
  ...input: object extends WireInput<Name> ? [input?: WireInput<Name>] : [input: WireInput<Name>]
) => Promise<WireAnswer<Name>>;

export function operationsOver(transport: Transport): CallOperation {
  return async (name, ...[input]) =>
    (await sendOperation(await findOperation(name), input ?? {}, transport)) as WireAnswer<typeof name>;
}

/** Sends an operation; what its path does not name goes into its body or its query. Throws `TypeError` for a missing parameter. */
export function sendOperation(
  { name, method, path, body }: Operation,
  input: Readonly<Record<string, unknown>>,
  transport: Transport,
): Promise<unknown> {
  const fields = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  const filled = path.replace(/:(\w+)/g, (_, parameter: string) => {
    const value = fields.get(parameter);
    if (value === undefined) throw new TypeError(`${name} lacks ${parameter}; expected what its path names.`);
    fields.delete(parameter);
    return encodeURIComponent(String(value));
  });
  const rest = Object.fromEntries(fields);
  return transport(method, filled, body ? { body: rest } : { query: rest as Query });
}

/** An operation of the control surface with its schemas. Throws `TypeError` for a name that there is not. */
export async function findOperation(name: string): Promise<Operation> {
  const { CONTROL } = await import('../control/control-routes.ts');
  const found = CONTROL.find((each) => each.name === name);
  if (found) return found;
  const known = CONTROL.map((each) => each.name);
  throw new TypeError(`There is no operation ${name}. Did you mean ${nearestName(name, known)}?`);
}
