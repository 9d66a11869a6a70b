import { z } from 'zod';
import { operation } from '../http/operation.ts';

const document = z.looseObject({ openapi: z.string(), paths: z.looseObject({}) });

export const getServiceDocument = operation({
  name: 'getServiceDocument',
  method: 'GET',
  path: '/openapi.json',
  summary: 'The service as an OpenAPI 3.1 document.',
  access: 'public',
  answer: document,
  handle: ({ emulator }) => emulator.documents.service() as z.input<typeof document>,
});

export const getControlDocument = operation({
  name: 'getControlDocument',
  method: 'GET',
  path: '/_emulator/openapi.json',
  summary: 'The control surface as an OpenAPI 3.1 document.',
  access: 'local',
  answer: document,
  handle: ({ emulator }) => emulator.documents.control() as z.input<typeof document>,
});
