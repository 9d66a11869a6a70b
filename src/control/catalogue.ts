import { z } from 'zod';
import { EmulatorError, invalid, quoted } from '../base/errors.ts';
import { engine, MODEL_KINDS } from '../engine/catalogue/catalogue-file.ts';
import { understoodPrompt } from '../media/scene/scene-lexicon.ts';
import { SERVICE } from '../service/api/routes.ts';
import { directedText } from '../service/http/directed-text.ts';
import { InputReader, optional, whole } from '../service/http/input.ts';
import { jsonObject } from '../service/http/json-bounds.ts';
import { operation } from '../service/http/operation.ts';
import { listAnswer, listOf } from './list-page.ts';
import { priceOrder } from './orders/price-order.ts';

/** The largest file that an upload takes, in bytes. */
const MOST_BYTES = 100 * 1_048_576;

const ORDERS = new Map(SERVICE.map(({ name, paid, body }) => [name, { paid, reader: body && new InputReader(body) }]));

const NOTHING = { credits: 0, charges: 0, terms: [], text: 'Free', ignored: [], refusal: null };

/** What a request would cost, as terms whose sum it is, or why it would be refused. */
const priceRecord = z.strictObject({
  operation: z.string(),
  credits: z.int(),
  charges: z.int(),
  terms: z.array(z.strictObject({ times: z.number(), credits: z.number(), for: z.string() })),
  text: z.string(),
  ignored: z.array(z.string()),
  refusal: z.strictObject({ code: z.string(), message: z.string(), param: z.string().nullable() }).nullable(),
});

export const priceRequest = operation({
  name: 'priceRequest',
  method: 'POST',
  path: '/_emulator/price',
  summary: 'What a request of the service would cost, or why it would be refused; nothing is made.',
  access: 'local',
  body: z.object({
    operation: z
      .string()
      .describe('an operationId of /openapi.json, such as createImage.')
      .meta({ enum: [...ORDERS.keys()] }),
    body: optional(jsonObject()).describe('the body of the request; of an upload, its text fields.'),
    bytes: optional(whole(0, MOST_BYTES)).describe('of an upload: the size of its file in bytes.'),
  }),
  answer: priceRecord,
  handle({ context, body: { operation: name, body = {}, bytes = 0 } }) {
    const order = ORDERS.get(name);
    if (!order) throw noOperation(name);
    try {
      const value = order.reader?.read(body);
      const ignored = order.reader?.unknown(body) ?? [];
      if (!order.paid) return { operation: name, ...NOTHING, ignored };
      const price = priceOrder(order.paid, { catalogue: context.catalogue, body: value, bytes });
      return { operation: name, ...NOTHING, ...price, ignored };
    } catch (error) {
      if (!(error instanceof EmulatorError)) throw error;
      const { code, message, param } = error;
      return { operation: name, ...NOTHING, text: 'Refused', refusal: { code, message, param } };
    }
  },
});

function noOperation(name: string) {
  const names = [...ORDERS.keys()].join(', ');
  return invalid('operation', `operation ${quoted(name)} is none of the service; use one of: ${names}.`);
}

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
