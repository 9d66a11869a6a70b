import { z } from 'zod';
import { engineSchema, MODEL_KINDS } from '../engine/catalogue/catalogue-file.ts';
import { EFFECT_KINDS, effectDefinition } from '../engine/faults/effects/effect-table.ts';
import { canReleaseWithEffect, HOLD_POINTS } from '../engine/faults/holds.ts';
import { defineGet } from './control-operation.ts';
import { faultRuleInputSchema } from './faults.ts';
import { listSchema, toListResponse } from './resource.ts';

/** `options` are pairs of a value and its text. `value` is the initial value of the field. */
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

const preset = z.strictObject({
  text: z.string(),
  note: z.string(),
  match: faultRuleInputSchema.shape.match,
  effect: faultRuleInputSchema.shape.effect,
  times: z.int(),
});

/** `shape` is how rules write the effect: top-level fields (`flat`), an object under its name (`nested`) or `true`. */
const effectKindRecord = z.strictObject({
  kind: z.string(),
  text: z.string(),
  shape: z.enum(['flat', 'nested', 'true']),
  fields: z.array(formField),
  fits: z.array(z.enum(HOLD_POINTS)),
  presets: z.array(preset),
});

const listEffects = defineGet('listEffects', '/_emulator/effects', {
  summary: 'Lists the effects of fault rules, each with its fields and ready-made rules.',
  answer: listSchema(effectKindRecord),
  handle: () =>
    toListResponse(
      EFFECT_KINDS.map((kind) => {
        const { form, presets = [] } = effectDefinition(kind);
        const fields = form.fields.map(({ options: own, ...field }) => {
          return { ...field, ...(own && { options: own.map((each) => [...each]) }) };
        });
        const fits = HOLD_POINTS.filter((at) => canReleaseWithEffect(kind, at));
        return { kind, ...form, fields, fits, presets: [...presets] };
      }),
    ),
});

const modelRecord = z.strictObject({
  id: z.string(),
  kind: z.enum(MODEL_KINDS),
  pricing: z.string(),
  engine: engineSchema.optional().describe('the limits of a video engine.'),
});

const listModelsHere = defineGet('listAllModels', '/_emulator/models', {
  summary: 'Lists every model and video engine with its price.',
  answer: listSchema(modelRecord),
  handle({ context }) {
    const { catalogue } = context.generation;
    const engines = new Map(catalogue.file.engines.map((each) => [each.id, each]));
    return toListResponse(catalogue.list().map((model) => ({ ...model, engine: engines.get(model.id) })));
  },
});

export const MODEL_AND_EFFECT_OPERATIONS = [listModelsHere, listEffects] as const;
