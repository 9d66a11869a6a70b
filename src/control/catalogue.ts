import { z } from 'zod';
import { engine, MODEL_KINDS } from '../engine/catalogue/catalogue-file.ts';
import { understoodPrompt } from '../media/scene/scene-lexicon.ts';
import { directedText } from '../service/http/directed-text.ts';
import { optional } from '../service/http/input.ts';
import { operation } from '../service/http/operation.ts';
import { listAnswer, listOf } from './list-page.ts';

/** The longest prompt of a picture or a clip, in code points. */
const LONGEST = 2_400;

const said = z.string().nullable();

/** What a render reads in its prompt; null is what the prompt leaves open, which prompt and seed then decide. */
const understanding = z.strictObject({
  language: z.string(),
  subjects: z.array(z.strictObject({ concept: z.string(), count: z.int(), colour: said })),
  place: said,
  time_of_day: said,
  weather: said,
  season: said,
  style: said,
  negated: z.array(z.string()),
  caption: z.string(),
});

export const previewRender = operation({
  name: 'previewRender',
  method: 'POST',
  path: '/_emulator/renders/preview',
  summary: 'What a picture or a clip would understand of a prompt: subjects, place, time, weather; nothing is made.',
  access: 'local',
  body: z.object({
    kind: z.enum(['image', 'video']),
    model: optional(z.string()).describe('a model of that kind; without it the one that a request without one means.'),
    prompt: directedText({ max: LONGEST, isDrawn: true }).describe(
      'as a request would have it, in any of 24 languages.',
    ),
  }),
  answer: understanding,
  handle({ context, body: { kind, model, prompt } }) {
    const { catalogue } = context;
    if (kind === 'video') catalogue.engine(model ?? catalogue.standard('video'));
    else catalogue.chosen(model, kind);
    return understoodPrompt(prompt.text);
  },
});

export const listEngines = operation({
  name: 'listEngines',
  method: 'GET',
  path: '/_emulator/engines',
  summary: 'The video engine catalogue as data.',
  access: 'local',
  answer: listAnswer(engine),
  handle: ({ context }) => listOf(context.catalogue.file.engines),
});

/** A model or engine with its price in words. */
const modelRecord = z.strictObject({ id: z.string(), kind: z.enum(MODEL_KINDS), pricing: z.string() });

export const listModelsHere = operation({
  name: 'listAllModels',
  method: 'GET',
  path: '/_emulator/models',
  summary: 'Every model and video engine with its price, as the service lists them.',
  access: 'local',
  answer: listAnswer(modelRecord),
  handle: ({ context }) => listOf(context.catalogue.list()),
});
