import { z } from 'zod';
import { operation } from '../http/operation.ts';
import { readChoices } from '../package/choice-table.ts';
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
});

export const listChoices = operation({
  name: 'listChoices',
  method: 'GET',
  path: '/_emulator/choices',
  summary: 'What the service leaves open, and what the emulator does there, by id.',
  access: 'local',
  answer: listAnswer(choiceRecord),
  handle: () => listOf(readChoices()),
});
