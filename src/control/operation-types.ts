import type { z } from 'zod';
import type { CONTROL_OPERATIONS } from './control-routes.ts';

type OperationTypes = Extract<
  NonNullable<(typeof CONTROL_OPERATIONS)[number]['types']>,
  { answer: z.ZodType | 'nothing' | 'text/html' }
>;

type TypesOf<Name extends string> = Extract<OperationTypes, { name: Name }>;

type AnswerOf<Answer> = Answer extends z.ZodType ? z.output<Answer> : Answer extends 'text/html' ? string : undefined;

type PathParameters<Path> = Path extends `${string}/:${infer Rest}`
  ? Rest extends `${infer Parameter}/${infer Tail}`
    ? Parameter | PathParameters<`/${Tail}`>
    : Rest
  : never;

type BodyOf<Schema> = Schema extends z.ZodType ? z.input<Schema> : unknown;

type QueryOf<Schema> = Schema extends z.ZodType
  ? {
      [Key in keyof z.output<Schema> as undefined extends z.output<Schema>[Key] ? Key : never]?: z.output<Schema>[Key];
    } & {
      [Key in keyof z.output<Schema> as undefined extends z.output<Schema>[Key] ? never : Key]: z.output<Schema>[Key];
    }
  : unknown;

type InputOf<Types extends OperationTypes> = {
  [Parameter in PathParameters<Types['path']>]: string;
} & QueryOf<Types['query']> &
  BodyOf<Types['body']>;

/**
 * Input and response of each operation that can be called by name, with the field names of the JSON. An HTML page is a
 * string. The build writes this type out in the declarations of the package.
 */
export type WireTypesByOperation = {
  [Name in Exclude<OperationTypes['name'], 'openSession'>]: {
    input: InputOf<TypesOf<Name>>;
    answer: AnswerOf<TypesOf<Name>['answer']>;
  };
};
