import type { z } from 'zod';
import type { OperationName, ToldOf, WireAnswer } from '../control/operation-types.ts';
import type { Camel } from './camel-case.ts';

export type { OperationName };

/** `:id` and the like. */
type Places<Path> = Path extends `${string}/:${infer Rest}`
  ? Rest extends `${infer Place}/${infer Tail}`
    ? Place | Places<`/${Tail}`>
    : Rest
  : never;

type Body<Schema> = Schema extends z.ZodType ? z.input<Schema> : unknown;

/** A number in a query is read from its text, of which the schema's own type knows nothing. */
type Query<Schema> = Schema extends z.ZodType
  ? {
      [Key in keyof z.output<Schema> as undefined extends z.output<Schema>[Key] ? Key : never]?: z.output<Schema>[Key];
    } & {
      [Key in keyof z.output<Schema> as undefined extends z.output<Schema>[Key] ? never : Key]: z.output<Schema>[Key];
    }
  : unknown;

/** What an operation takes: the parameters of its path, its query and its body in one. */
export type OrderOf<Name extends OperationName> = Camel<
  { [Place in Places<ToldOf<Name>['path']>]: string } & Query<ToldOf<Name>['query']> & Body<ToldOf<Name>['body']>
>;

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
