import type { z } from 'zod';
import type { Directives } from '../directives.ts';
import type { PaidOperation } from '../paid-work.ts';
import type { AppliedFault, TakeFault } from '../struck.ts';

/**
 * What of an order an effect changes. The first rule that fits strikes each of them: a rule that fails a take does not
 * keep another from doubling its event. Takes and events are struck one by one, the others once a request.
 */
export type Layer = 'request' | 'outcome' | 'pace' | 'event' | 'process';

/** Where a request came in: the service and its hooks, a step of a run (nobody waits at a connection), or the CDN. */
export type Surface = 'service' | 'step' | 'cdn';

/** What of a point decides whether an effect can ever act there. */
export interface Reach {
  surface: Surface;
  /** What it pays for, if for anything. */
  paid?: PaidOperation | undefined;
  /** Whether what it starts tells webhooks of its end. */
  announces: boolean;
}

/** What of a request decides whether an effect can act on it. */
export interface Acting extends Reach {
  method: string;
  /** Whether its answer is to be a stream. */
  streamed: boolean;
  directives: Directives;
}

/** A request, or a step of a run, that is met before its work. */
export interface Meeting {
  /** Waits so many milliseconds of real time, or until nobody is there any more. */
  wait(milliseconds: number): Promise<void>;
  /** Resets the connection: answers `gone`, or throws where there is none. */
  reset(): 'gone';
}

/** One field of an effect, as the dashboard asks for it. */
export interface FormField {
  name: string;
  label: string;
  /** A number, a code, a line of text, yes or no, or one of `options` (value and text). */
  type: 'number' | 'code' | 'text' | 'switch' | 'options';
  options?: readonly (readonly [string, string])[];
  note?: string;
  isOptional?: boolean;
  min?: number;
  max?: number;
  /** What it holds at first. */
  value?: string;
}

/** How the dashboard asks for an effect. */
export interface EffectForm {
  text: string;
  /** Whether the fields are the effect's own (`flat`), stand in an object under its name (`nested`), or it is `true`. */
  shape: 'flat' | 'nested' | 'true';
  fields: readonly FormField[];
}

/** A rule that one click makes. */
export interface Preset {
  text: string;
  /** What happens, as a person reads it. */
  note: string;
  match: { path?: string; method?: 'GET' | 'POST' };
  effect: object;
  times: number;
}

/** What is changed of the work of a request, or of its answer. */
export type Suffering = Pick<AppliedFault, 'stream' | 'answer' | 'cdn'> & { unit?: TakeFault };

/** One kind of effect: all that anybody knows of it. Its name is that of its first field. */
export interface EffectRow<Effect> {
  /** The fields of its JSON. The first one makes the effect what it is, others go with it. */
  fields: Record<string, z.ZodType>;
  layer: Layer;
  /** Answers the request by itself: no other rule strikes it. */
  ends?: true;
  /** Needs somebody who starts the process again. */
  kills?: true;
  /** Where it acts, as its error and the documents say it. */
  domain: string;
  /** Whether it can ever act on what an operation does. */
  reaches(place: Reach, effect: Effect): boolean;
  /** Whether it can act on this request, which it reaches; without it, it can unless a directive answers the request. */
  acts?(request: Acting, effect: Effect): boolean;
  /** What it does before the work. An effect without it changes the work instead, and is given back where there is none. */
  meet?(effect: Effect, meeting: Meeting): Promise<'gone' | undefined> | 'gone' | undefined;
  /** What it has the work suffer. */
  suffer?(effect: Effect): Suffering;
  /** A sentence without its end. */
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

/** Whether a directive decides the whole work: no rule has a say in it then [I195]. */
export function failsByDirective({ directives }: Acting): boolean {
  return directives.fail !== undefined && directives.fail.take === undefined;
}
