import type { z } from 'zod';
import type { CONTROL } from './control-routes.ts';

/** The types of the operations of the control surface, but for those that answer a binary file or a stream. */
type OperationTypes = Extract<
  NonNullable<(typeof CONTROL)[number]['types']>,
  { answer: z.ZodType | 'nothing' | 'text/html' | 'text/plain' }
>;

/** `openSession` is for a browser, and `importSnapshot` takes a binary file. */
export type OperationName = Exclude<OperationTypes['name'], 'openSession' | 'importSnapshot'>;

export type OperationTypesOf<Name extends OperationName> = Extract<OperationTypes, { name: Name }>;

/** What an operation answers, in the field names of the JSON; a page or a text as a string. */
export type WireAnswer<Name extends OperationName> = OperationTypesOf<Name>['answer'] extends infer Answer
  ? Answer extends z.ZodType
    ? z.output<Answer>
    : Answer extends `text/${string}`
      ? string
      : undefined
  : never;

/** `:id` and the like. */
type PathParameters<Path> = Path extends `${string}/:${infer Rest}`
  ? Rest extends `${infer Parameter}/${infer Tail}`
    ? Parameter | PathParameters<`/${Tail}`>
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

/** What an operation takes: the parameters of its path, its query and its body in one object. */
export type WireInput<Name extends OperationName> = {
  [Parameter in PathParameters<OperationTypesOf<Name>['path']>]: string;
} & Query<OperationTypesOf<Name>['query']> &
  Body<OperationTypesOf<Name>['body']>;
