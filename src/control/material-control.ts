import { operation } from '../http/operation.ts';
import { listAnswer, listOf } from './list-page.ts';

export const listEngines = operation({
  name: 'listEngines',
  method: 'GET',
  path: '/_emulator/engines',
  summary: 'The video engine catalogue as data.',
  access: 'local',
  answer: listAnswer,
  handle: ({ emulator }) => listOf(emulator.catalogue.file.engines),
});

export const listModelsHere = operation({
  name: 'listAllModels',
  method: 'GET',
  path: '/_emulator/models',
  summary: 'Every model and video engine with its price, as the service lists them.',
  access: 'local',
  answer: listAnswer,
  handle: ({ emulator }) => listOf(emulator.catalogue.list()),
});
