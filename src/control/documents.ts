import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { operation } from '../http/operation.ts';
import { fixtureFolder } from '../package/fixture-folder.ts';
import { listAnswer, listOf } from './list-page.ts';

/**
 * What the service's documentation leaves `open`, and what happens `here`, in Markdown. `touches` names what of the service
 * it concerns: operations by operationId (`*` is all of them), types of events, fields, and codes of errors.
 */
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
  handle: () => listOf(choices()),
});

/** Read when it is asked for: nothing else needs it. */
function choices(): z.infer<typeof choiceRecord>[] {
  return JSON.parse(readFileSync(path.join(fixtureFolder(), 'choices.json'), 'utf8'));
}
