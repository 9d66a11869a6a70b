import { nearestName } from '../base/text.ts';
import { OPERATION_ROUTES } from './operation-routes.ts';
import type { OperationName, WireAnswer, WireInput } from './operation-types.ts';

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
 */
export async function callOperation<Name extends OperationName>(
  name: Name,
  input: WireInput<Name>,
  transport: Transport,
): Promise<WireAnswer<Name>> {
  return (await sendOperation(name, input, transport)) as WireAnswer<Name>;
}

/** `callOperation` over one transport: `call('createHold', { at: 'request' })`. */
export type CallOperation = <Name extends OperationName>(
  name: Name,
  ...input: object extends WireInput<Name> ? [input?: WireInput<Name>] : [input: WireInput<Name>]
) => Promise<WireAnswer<Name>>;

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
    fields.delete(parameter);
    return encodeURIComponent(String(value));
  });
  const rest = Object.fromEntries(fields);
  return transport(method, filled, takes === 'body' ? { body: rest } : { query: rest as Query });
}

/** Method, path and where the fields go. Throws `TypeError` for a name that no operation has. */
export function routeOf(name: string): (typeof OPERATION_ROUTES)[OperationName] {
  if (Object.hasOwn(OPERATION_ROUTES, name)) return OPERATION_ROUTES[name as OperationName];
  const nearest = nearestName(name, Object.keys(OPERATION_ROUTES));
  throw new TypeError(`There is no operation ${name}. Did you mean ${nearest}?`);
}

type CamelKey<Key> = Key extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelKey<Tail>>}` : Key;

/** The same with its fields in camel case; the keys of a record belong to the user and stay. */
type Camel<T> = T extends readonly (infer Item)[]
  ? Camel<Item>[]
  : T extends object
    ? { [Key in keyof T as string extends Key ? Key : CamelKey<Key>]: Camel<T[Key]> }
    : T;

/**
 * What an operation takes: the parameters of its path, its query and its body in one; in camel case, or with the names of
 * the HTTP reference.
 */
export type OrderOf<Name extends OperationName> = Camel<WireInput<Name>> | WireInput<Name>;

type Unlisted<Answer> = Answer extends { object: 'list'; data: infer Items }
  ? Exclude<keyof Answer, 'object' | 'data'> extends never
    ? Items
    : Answer
  : Answer;

/** What it answers: of a list the records, newest first. */
export type AnswerOf<Name extends OperationName> = Camel<Unlisted<WireAnswer<Name>>>;

/** One record of a list. */
export type ItemOf<List> = List extends readonly (infer Item)[] ? Item : never;

/** Every operation of the control surface by its name, with what it takes and answers in camel case. */
export type ControlCalls = {
  readonly [Name in OperationName]: object extends OrderOf<Name>
    ? (order?: OrderOf<Name>) => Promise<AnswerOf<Name>>
    : (order: OrderOf<Name>) => Promise<AnswerOf<Name>>;
};
