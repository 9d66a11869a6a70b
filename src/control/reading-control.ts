import { readFileSync } from 'node:fs';
import path from 'node:path';
import { operation } from '../http/operation.ts';
import { Bytes } from '../http/reply.ts';
import { packageFolder } from '../package/fixture-folder.ts';

const TEXT = 'text/plain; charset=utf-8';

export const getLlmsText = operation({
  name: 'getLlmsText',
  method: 'GET',
  path: '/llms.txt',
  summary: 'What a language model has to know to use this.',
  access: 'public',
  answer: 'text/plain',
  handle: () => new Bytes(readFileSync(path.join(packageFolder(), 'llms.txt')), TEXT),
});
