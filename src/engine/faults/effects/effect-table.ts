import { z } from 'zod';
import { optional } from '../../../base/schemas.ts';
import {
  cdnEffect,
  compatibleChangeEffect,
  delayEffect,
  dropEffect,
  lostResponseEffect,
  statusEffect,
  swapResponseOrderEffect,
} from './answer-effects.ts';
import type { EffectDefinition } from './effect-definition.ts';
import { failJobEffect, jobPaceEffect, webhookEffect } from './job-effects.ts';
import { replyEffect, streamEffect } from './stream-effect.ts';

export const EFFECT_DEFINITIONS = {
  status: statusEffect,
  delay_ms: delayEffect,
  drop: dropEffect,
  lost_response: lostResponseEffect,
  swap: swapResponseOrderEffect,
  fail_job: failJobEffect,
  job: jobPaceEffect,
  stream: streamEffect,
  reply: replyEffect,
  webhook: webhookEffect,
  cdn: cdnEffect,
  change: compatibleChangeEffect,
} as const;

export type EffectKind = keyof typeof EFFECT_DEFINITIONS;
export const EFFECT_KINDS = Object.keys(EFFECT_DEFINITIONS) as [EffectKind, ...EffectKind[]];

type Both<Union> = (Union extends unknown ? (each: Union) => void : never) extends (both: infer All) => void
  ? All
  : never;
type Shape = Both<(typeof EFFECT_DEFINITIONS)[EffectKind]['fields']>;

export type Effect = { [Name in keyof Shape]?: Shape[Name] extends z.ZodType ? z.output<Shape[Name]> : never };

export function effectDefinition(kind: EffectKind): EffectDefinition<Effect> {
  return EFFECT_DEFINITIONS[kind] as EffectDefinition<Effect>;
}

export function effectKind(effect: Effect): EffectKind {
  const kind = EFFECT_KINDS.find((each) => effect[each] !== undefined);
  if (!kind) throw new Error('a fault rule has no effect');
  return kind;
}

const fields = Object.assign({}, ...EFFECT_KINDS.map((kind) => optionalFields(EFFECT_DEFINITIONS[kind].fields)));

export const effectSchema: z.ZodType<Effect, Effect> = z
  .strictObject(fields)
  .superRefine((given: Record<string, unknown>, context) => {
    const [first, second] = EFFECT_KINDS.filter((kind) => isGiven(given[kind]));
    const refuse = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
    if (!first) context.addIssue({ code: 'custom', message: `is empty; give one of ${EFFECT_KINDS.join(', ')}.` });
    if (second) refuse(second, `is a second effect, after ${first}; make a rule for each.`);
    for (const kind of EFFECT_KINDS) {
      const foreign = Object.keys(EFFECT_DEFINITIONS[kind].fields).filter(
        (field) => field !== kind && isGiven(given[field]),
      );
      if (isGiven(given[kind])) continue;
      for (const field of foreign) refuse(field, `belongs to a ${kind}; leave it out, or give the ${kind}.`);
    }
  })
  .transform((given) => given as Effect)
  .describe(`an object with one of ${EFFECT_KINDS.join(', ')}; with status also code and retry_after.`);

function optionalFields(given: Record<string, z.ZodType>): Record<string, z.ZodType> {
  return Object.fromEntries(
    Object.entries(given).map(([name, schema]) => {
      const described = schema.description;
      const field = optional(schema);
      return [name, described === undefined ? field : field.describe(described)];
    }),
  );
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
