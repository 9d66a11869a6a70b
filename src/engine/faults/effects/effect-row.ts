import { z } from 'zod';
import type { AppliedFault, TakeFault } from '../applied-fault.ts';
import type { Directives } from '../directives.ts';
import type { PaidOperation } from '../paid-work.ts';

/**
 * What of a request an effect changes. In each layer the first rule that matches applies: a rule that fails a take does
 * not keep another from duplicating its event. Takes and events count one by one, the other layers once a request.
 */
export type Layer = 'request' | 'outcome' | 'pace' | 'event' | 'process' | 'contract';

/** Where a request arrived: the service and its hooks, a step of a run (which has no connection), or the CDN. */
export type Surface = 'service' | 'step' | 'cdn';

/** What of a route decides whether an effect can ever act there. */
export interface Reach {
  surface: Surface;
  paid?: PaidOperation | undefined;
  announces: boolean;
}

/** What of a request decides whether an effect can act on it. */
export interface Acting extends Reach {
  method: string;
  streamed: boolean;
  directives: Directives;
}

/** How effects act on the request itself. */
export interface FaultSite {
  /** Waits so many milliseconds of real time, or until the client has gone. */
  wait(milliseconds: number): Promise<void>;
  /** Resets the connection: answers `gone`, or throws where there is none. */
  reset(): 'gone';
}

export interface FormField {
  name: string;
  label: string;
  /** A number, a code, a line of text, yes or no, or one of `options` (value, text and note). */
  type: 'number' | 'code' | 'text' | 'switch' | 'options';
  options?: readonly (readonly string[])[];
  note?: string;
  isOptional?: boolean;
  min?: number;
  max?: number;
  value?: string;
}

export interface EffectForm {
  text: string;
  /** Whether the fields are the effect's own (`flat`), belong to an object under its name (`nested`), or it is `true`. */
  shape: 'flat' | 'nested' | 'true';
  fields: readonly FormField[];
}

export interface Preset {
  text: string;
  note: string;
  match: { path?: string; method?: 'GET' | 'POST' };
  effect: object;
  times: number;
}

export type WorkChange = Pick<AppliedFault, 'stream' | 'reply' | 'answer' | 'cdn'> & { take?: TakeFault };

/** One kind of effect, whole. Its name is that of its first field. */
export interface EffectRow<Effect> {
  /** The fields of its JSON. The first one makes the effect what it is, others go with it. */
  fields: Record<string, z.ZodType>;
  layer: Layer;
  /** Answers the request by itself: no other rule applies. */
  ends?: true;
  /** Needs a supervisor that starts the process again. */
  kills?: true;
  domain: string;
  reaches(route: Reach, effect: Effect): boolean;
  /** Whether it can act on this request, whose route it reaches; without it, it can unless a directive answers the request. */
  acts?(request: Acting, effect: Effect): boolean;
  /** What it does before the work. An effect without it changes the work instead, and is given back where there is none. */
  beforeWork?(effect: Effect, site: FaultSite): Promise<'gone' | undefined> | 'gone' | undefined;
  changes?(effect: Effect): WorkChange;
  words(effect: Effect): string;
  form: EffectForm;
  presets?: readonly Preset[];
}

type Written<Fields extends Record<string, z.ZodType>> = { [Name in keyof Fields]: z.output<Fields[Name]> };

/** Ties an effect's functions to its fields, by type. */
export function effectRow<Fields extends Record<string, z.ZodType>>(
  row: EffectRow<Written<Fields>> & { fields: Fields },
): EffectRow<Written<Fields>> & { fields: Fields } {
  return row;
}

/** Whether a directive decides the whole work: rules leave it alone then [I195]. */
export function failsByDirective({ directives }: Acting): boolean {
  return directives.fail !== undefined && directives.fail.take === undefined;
}

/** Milliseconds that one wait may last: ten minutes. */
export const LONGEST_WAIT = 600_000;

const CODE = /^[a-z0-9_]{1,64}$/;
const CODE_TEXT = '1 to 64 lower-case letters, digits and underscores, such as out_of_memory.';

export function count(min: number, max: number) {
  return z.int().min(min).max(max);
}

export function code() {
  return z.string().regex(CODE, { error: 'is not a code', abort: true }).describe(CODE_TEXT);
}

/** A field that may be left out; null is the same. */
export function maybe<T extends z.ZodType>(schema: T) {
  return schema.nullish().transform((value): z.output<T> | undefined => value ?? undefined);
}

/** Removes fields without a value: a rule is kept and shown as it was ordered. */
export function presentFields<T extends object>(given: T): { [Name in keyof T]?: NonNullable<T[Name]> } {
  const present = Object.entries(given).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(present) as { [Name in keyof T]?: NonNullable<T[Name]> };
}

/** Refuses an object in which none of these fields has a value: an effect that changes nothing. */
export function requireSome(fields: readonly string[], what: string) {
  return (given: object, context: z.core.$RefinementCtx): void => {
    const has = fields.some((field) => Boolean(Reflect.get(given, field)));
    if (has) return;
    context.addIssue({ code: 'custom', message: `leaves the ${what} as it is; give one of its fields a value.` });
  };
}

export function figure(value: number): string {
  return value.toLocaleString('en-US');
}
