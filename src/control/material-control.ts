import { z } from 'zod';
import { engine, MODEL_KINDS } from '../catalogue/catalogue-file.ts';
import { operation } from '../http/operation.ts';
import { listAnswer, listOf } from './list-page.ts';

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
