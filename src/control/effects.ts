import { z } from 'zod';
import { EFFECT_KINDS, rowOf } from '../faults/effects/effect-table.ts';
import { fits, HOLD_POINTS } from '../faults/hold.ts';
import { operation } from '../http/operation.ts';
import { faultRequest } from './faults.ts';
import { listAnswer, listOf } from './list-page.ts';

/** One field of an effect, as a form asks for it. `options` are values and texts; `value` is what it holds at first. */
const formField = z.strictObject({
  name: z.string(),
  label: z.string(),
  type: z.enum(['number', 'code', 'text', 'switch', 'options']),
  options: z.array(z.array(z.string())).optional(),
  note: z.string().optional(),
  isOptional: z.boolean().optional(),
  min: z.number().optional(),
  max: z.number().optional(),
  value: z.string().optional(),
});

/** A rule that one click makes, and what happens then. */
const preset = z.strictObject({
  text: z.string(),
  note: z.string(),
  match: faultRequest.shape.match,
  effect: faultRequest.shape.effect,
  times: z.int(),
});

/**
 * One kind of effect. Its fields are the effect's own (`flat`), are in an object under its name (`nested`), or it is
 * `true` and has none.
 */
const effectKindRecord = z.strictObject({
  kind: z.string(),
  text: z.string(),
  shape: z.enum(['flat', 'nested', 'true']),
  fields: z.array(formField),
  /** Where what is held can be let go with it. */
  fits: z.array(z.enum(HOLD_POINTS)),
  presets: z.array(preset),
});

/** As the page reads it. @public */
export type EffectKindRecord = z.infer<typeof effectKindRecord>;

export const listEffects = operation({
  name: 'listEffects',
  method: 'GET',
  path: '/_emulator/effects',
  summary: 'Every effect that a fault rule can have: how it is asked for, and rules that one click makes.',
  access: 'local',
  answer: listAnswer(effectKindRecord),
  handle: () =>
    listOf(
      EFFECT_KINDS.map((kind) => {
        const { form, presets = [] } = rowOf(kind);
        const fields = form.fields.map(({ options, ...field }) => ({
          ...field,
          ...(options && { options: options.map((each) => [...each]) }),
        }));
        return {
          kind,
          text: form.text,
          shape: form.shape,
          fields,
          fits: HOLD_POINTS.filter((at) => fits(kind, at)),
          presets: [...presets],
        };
      }),
    ),
});
