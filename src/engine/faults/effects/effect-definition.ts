import { z } from 'zod';
import { ERROR_CODE_PATTERN } from '../../../base/schemas.ts';
import type { PaidOperation } from '../../catalogue/catalogue.ts';
import type { Directives } from '../directives.ts';
import type { JobFaults, RequestFaults } from '../request-faults.ts';

/**
 * Where an effect acts. In each layer, at most one rule applies to a request, or to each take of a song. A rule that
 * fails a take does not prevent another rule from duplicating its event. `nth` counts events in the layer `event`, and
 * requests in the other layers.
 */
type Layer = 'request' | 'outcome' | 'pace' | 'event' | 'change';

/** Where a request arrives. A step of a flow run has no connection, so it is a destination of its own. */
export type RequestDestination = 'service' | 'step' | 'cdn';

export interface RouteTraits {
  destination: RequestDestination;
  paid?: PaidOperation | undefined;
  announces: boolean;
}

interface Acting extends RouteTraits {
  method: string;
  streamed: boolean;
  directives: Directives;
}

export interface ConnectionControls {
  /** Waits real time. Ends early if the client disconnects. */
  wait(milliseconds: number): Promise<void>;
  /** Resets the connection. Throws in a flow step, which has no connection. */
  reset(): 'gone';
}

interface FormField {
  name: string;
  label: string;
  type: 'number' | 'code' | 'text' | 'switch' | 'options';
  /** The value, the text and the note of each option. The note may be left out. */
  options?: readonly (readonly string[])[];
  note?: string;
  isOptional?: boolean;
  min?: number;
  max?: number;
  value?: string;
}

interface EffectForm {
  text: string;
  /**
   * How a rule writes the effect: its fields at the top level (`flat`), an object under its name (`nested`), or `true`.
   */
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

export type EffectDecisions = Pick<RequestFaults, 'stream' | 'reply' | 'answer' | 'cdn' | 'change'> & {
  job?: JobFaults;
};

export interface EffectDefinition<Effect> {
  fields: Record<string, z.ZodType>;
  layer: Layer;
  /** Set if the effect returns an error or resets the connection instead of the work. No later rule then applies. */
  ends?: true;
  domain: string;
  reaches(route: RouteTraits, effect: Effect): boolean;
  acts?(request: Acting, effect: Effect): boolean;
  /**
   * Acts before the work, or when a held response is released with the effect. An effect without this function changes
   * the work, the response or the events.
   */
  beforeWork?(effect: Effect, site: ConnectionControls): Promise<'gone' | undefined> | 'gone' | undefined;
  changes?(effect: Effect): EffectDecisions;
  words(effect: Effect): string;
  form: EffectForm;
  presets?: readonly Preset[];
}

type Written<Fields extends Record<string, z.ZodType>> = { [Name in keyof Fields]: z.output<Fields[Name]> };

export function defineEffect<Fields extends Record<string, z.ZodType>>(
  definition: EffectDefinition<Written<Fields>> & { fields: Fields },
): EffectDefinition<Written<Fields>> & { fields: Fields } {
  return definition;
}

/**
 * Whether a directive fails the whole work. A rule then cannot fail the work, and cannot change the reply or its stream
 * [I195].
 */
export function isFailedByDirective({ directives }: Acting): boolean {
  return directives.fail !== undefined && directives.fail.take === undefined;
}

export const MAX_EFFECT_DELAY_MS = 600_000;

const CODE_TEXT = '1 to 64 lower-case letters, digits and underscores, such as out_of_memory.';

export function errorCodeSchema() {
  return z.string().regex(ERROR_CODE_PATTERN, { abort: true }).describe(CODE_TEXT);
}

/** Removes fields without a value, so that a rule is shown as its author wrote it. */
export function withoutNullishFields<T extends object>(given: T): { [Name in keyof T]?: NonNullable<T[Name]> } {
  const present = Object.entries(given).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(present) as { [Name in keyof T]?: NonNullable<T[Name]> };
}

export function makeAtLeastOneFieldCheck(fields: readonly string[], what: string) {
  return (given: object, context: z.core.$RefinementCtx): void => {
    const has = fields.some((field) => Boolean(Reflect.get(given, field)));
    if (has) return;
    context.addIssue({ code: 'custom', message: `leaves the ${what} as it is; give one of its fields a value.` });
  };
}

export function formatGroupedNumber(value: number): string {
  return value.toLocaleString('en-US');
}

export function formatByteCount(count: number): string {
  return `${formatGroupedNumber(count)} ${count === 1 ? 'byte' : 'bytes'}`;
}
