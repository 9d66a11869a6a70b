import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { packageFolder } from '../base/package/package-folder.ts';
import { optional } from '../base/schemas.ts';
import { defineOperation } from '../service/http/operation.ts';
import { BytesReply } from '../service/http/replies.ts';
import { defineGet } from './control-operation.ts';
import { OPENAPI_VERSIONS } from './openapi/json-schema.ts';

const document = z.looseObject({ openapi: z.string(), paths: z.looseObject({}) });
const query = z.object({
  as: optional(z.enum(OPENAPI_VERSIONS)).describe('3.1, or 3.0 for generators that do not support 3.1 (default: 3.1).'),
});

const getServiceDocument = defineOperation({
  name: 'getServiceDocument',
  method: 'GET',
  path: '/openapi.json',
  summary: 'Returns the OpenAPI document of the service.',
  access: 'public',
  skipsBarrier: true,
  query,
  answer: document,
  handle: ({ context, query: { as } }) => context.control.documents.service(as) as z.input<typeof document>,
});

const getControlDocument = defineGet('getControlDocument', '/_emulator/openapi.json', {
  summary: 'Returns the OpenAPI document of the control operations.',
  skipsBarrier: true,
  query,
  answer: document,
  handle: async ({ context, query: { as } }) =>
    (await context.control.documents.control(as)) as z.input<typeof document>,
});

const TEXT = 'text/plain; charset=utf-8';

const getLlmsText = defineOperation({
  name: 'getLlmsText',
  method: 'GET',
  path: '/llms.txt',
  summary: 'Returns a summary for language models.',
  access: 'public',
  skipsBarrier: true,
  answer: 'text/plain',
  handle: () => new BytesReply(readFileSync(path.join(packageFolder(), 'llms.txt')), TEXT),
});

export const DOCUMENT_OPERATIONS = [getServiceDocument, getControlDocument, getLlmsText] as const;
