import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { optional } from '../http/field-schemas.ts';
import { operation } from '../http/operation.ts';
import { Bytes } from '../http/replies.ts';
import { inVersion, OPENAPI_VERSIONS } from '../openapi/older-document.ts';
import { readChoices } from '../package/choice-table.ts';
import { packageFolder } from '../package/fixture-folder.ts';
import { listAnswer, listOf } from './list-page.ts';

const choiceRecord = z.strictObject({
  id: z.string(),
  area: z.string(),
  open: z.string(),
  here: z.string(),
  touches: z.strictObject({
    operations: z.array(z.string()),
    events: z.array(z.string()),
    fields: z.array(z.string()),
    codes: z.array(z.string()),
  }),
  rules: z.array(z.string()).optional().describe('those of the conformance page that concern the same thing.'),
});

export const listChoices = operation({
  name: 'listChoices',
  method: 'GET',
  path: '/_emulator/choices',
  summary: 'What the service leaves open, and what the emulator does there, by id.',
  access: 'local',
  ungated: true,
  answer: listAnswer(choiceRecord),
  handle: () => listOf(readChoices()),
});

const document = z.looseObject({ openapi: z.string(), paths: z.looseObject({}) });
const query = z.object({
  as: optional(z.enum(OPENAPI_VERSIONS)).describe('3.1, or 3.0 for generators that read nothing newer.'),
});

export const getServiceDocument = operation({
  name: 'getServiceDocument',
  method: 'GET',
  path: '/openapi.json',
  summary: 'The service as an OpenAPI document.',
  access: 'public',
  ungated: true,
  query,
  answer: document,
  handle: ({ context, query: { as } }) => inVersion(context.documents.service(), as) as z.input<typeof document>,
});

export const getControlDocument = operation({
  name: 'getControlDocument',
  method: 'GET',
  path: '/_emulator/openapi.json',
  summary: 'The control surface as an OpenAPI document.',
  access: 'local',
  ungated: true,
  query,
  answer: document,
  handle: async ({ context, query: { as } }) =>
    inVersion(await context.documents.control(), as) as z.input<typeof document>,
});

const TEXT = 'text/plain; charset=utf-8';

export const getLlmsText = operation({
  name: 'getLlmsText',
  method: 'GET',
  path: '/llms.txt',
  summary: 'What a language model has to know to use this.',
  access: 'public',
  ungated: true,
  answer: 'text/plain',
  handle: () => new Bytes(readFileSync(path.join(packageFolder(), 'llms.txt')), TEXT),
});
