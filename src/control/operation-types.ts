import type { z } from 'zod';
import type { CONTROL } from './control-routes.ts';

/** What the operations of the control surface say of themselves, but for those that answer a file or a stream. */
type OperationTypes = Extract<NonNullable<(typeof CONTROL)[number]['told']>, { answer: z.ZodType | 'nothing' }>;

export type OperationName = Exclude<OperationTypes['name'], 'openSession' | 'importSnapshot'>;

export type ToldOf<Name extends OperationName> = Extract<OperationTypes, { name: Name }>;

/** What an operation answers, as it is sent. */
export type WireAnswer<Name extends OperationName> = ToldOf<Name>['answer'] extends infer Schema extends z.ZodType
  ? z.output<Schema>
  : undefined;
