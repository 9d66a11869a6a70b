import type { OperationName, WireAnswer, WireInput } from './call-operation.ts';

export type { OperationName };

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
