import { z } from 'zod';
import { ERROR_CODE } from '../../../base/schemas.ts';
import type { PaidOperation } from '../../catalogue/catalogue.ts';
import type { AppliedFault, TakeFault } from '../applied-fault.ts';
import type { Directives } from '../directives.ts';

/**
 * In each layer the first matching rule applies. So a rule that fails a take does not prevent another one from duplicating
 * its event. Takes and events count separately, other layers once per request.
 */
type Layer = 'request' | 'outcome' | 'pace' | 'event' | 'change';

/** A step of a run has no connection. */
export type Surface = 'service' | 'step' | 'cdn';

/** The part of a route that decides whether an effect can act there. */
export interface EffectReach {
  surface: Surface;
  paid?: PaidOperation | undefined;
  announces: boolean;
}

/** The part of a request that decides whether an effect can act on it. */
interface Acting extends EffectReach {
  method: string;
  streamed: boolean;
  directives: Directives;
}

export interface FaultSite {
  /** Real time. Ends if the client disconnects. */
  wait(milliseconds: number): Promise<void>;
  /** Returns `gone`, or throws if there is no connection. */
  reset(): 'gone';
}

interface FormField {
  name: string;
  label: string;
  /** `options` are values, texts and notes. */
  type: 'number' | 'code' | 'text' | 'switch' | 'options';
  options?: readonly (readonly string[])[];
  note?: string;
  isOptional?: boolean;
  min?: number;
  max?: number;
  value?: string;
}

interface EffectForm {
  text: string;
  /** The effect's own fields (`flat`), an object under its name (`nested`), or `true`. */
  shape: 'flat' | 'nested' | 'true';
  fields: readonly FormField[];
}

interface Preset {
  text: string;
  note: string;
  match: { path?: string; method?: 'GET' | 'POST' };
  effect: object;
  times: number;
}

export type FaultChange = Pick<AppliedFault, 'stream' | 'reply' | 'answer' | 'cdn' | 'change'> & { take?: TakeFault };

/** Its name is that of its first field. */
export interface EffectRow<Effect> {
  /** The first field selects the effect. */
  fields: Record<string, z.ZodType>;
  layer: Layer;
  /** The effect is the response, so no other rule applies. */
  ends?: true;
  domain: string;
  reaches(route: EffectReach, effect: Effect): boolean;
  /** By default, unless a directive is the response. */
  acts?(request: Acting, effect: Effect): boolean;
  /** Without it, the effect changes the work, and is returned if there is none. */
  beforeWork?(effect: Effect, site: FaultSite): Promise<'gone' | undefined> | 'gone' | undefined;
  changes?(effect: Effect): FaultChange;
  words(effect: Effect): string;
  form: EffectForm;
  presets?: readonly Preset[];
}

type Written<Fields extends Record<string, z.ZodType>> = { [Name in keyof Fields]: z.output<Fields[Name]> };

export function effectRow<Fields extends Record<string, z.ZodType>>(
  row: EffectRow<Written<Fields>> & { fields: Fields },
): EffectRow<Written<Fields>> & { fields: Fields } {
  return row;
}

/** A directive that decides the whole work disables rules [I195]. */
export function isFailedByDirective({ directives }: Acting): boolean {
  return directives.fail !== undefined && directives.fail.take === undefined;
}

/** Ten minutes, in milliseconds. */
export const MAX_WAIT = 600_000;

const CODE_TEXT = '1 to 64 lower-case letters, digits and underscores, such as out_of_memory.';

export function code() {
  return z.string().regex(ERROR_CODE, { abort: true }).describe(CODE_TEXT);
}

/** A rule is stored and shown as it was ordered. */
export function withoutEmptyFields<T extends object>(given: T): { [Name in keyof T]?: NonNullable<T[Name]> } {
  const present = Object.entries(given).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(present) as { [Name in keyof T]?: NonNullable<T[Name]> };
}

/** Without any of these fields, the effect would change nothing. */
export function requireSomeField(fields: readonly string[], what: string) {
  return (given: object, context: z.core.$RefinementCtx): void => {
    const has = fields.some((field) => Boolean(Reflect.get(given, field)));
    if (has) return;
    context.addIssue({ code: 'custom', message: `leaves the ${what} as it is; give one of its fields a value.` });
  };
}

export function numberText(value: number): string {
  return value.toLocaleString('en-US');
}

export function bytesText(count: number): string {
  return `${numberText(count)} ${count === 1 ? 'byte' : 'bytes'}`;
}
