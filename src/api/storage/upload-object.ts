import { z } from 'zod';
import { invalid } from '../../errors.ts';
import { keepUpload } from '../../generation/object-upload.ts';
import { optional, text } from '../../http/field-schemas.ts';
import { operation } from '../../http/operation.ts';
import { usage } from '../usage-schema.ts';
import { objectFields, objectShape } from './object-shape.ts';

export const uploadObject = operation({
  name: 'uploadObject',
  method: 'POST',
  path: '/v1/storage/objects',
  summary: 'Keeps a file of any type, up to 100 MiB, under a permanent URL: 2 credits per started 10 MiB.',
  access: 'key',
  paid: 'storage.object',
  upload: 'file',
  body: z.object({
    name: optional(text()).describe('a file name to show in the URL; without it the file’s own.'),
  }),
  answer: z.strictObject({ ...objectFields, usage }),
  async handle(call) {
    const { body, context, file } = call;
    if (!file) throw invalid('file', 'file is missing. It takes: a file of any type, up to 100 MiB.');
    const name = body.name || file.originalName;
    const { result, usage: spent } = await keepUpload(context, { ...file, name }, call);
    return { ...objectShape(result, call.baseUrl), usage: spent };
  },
});
