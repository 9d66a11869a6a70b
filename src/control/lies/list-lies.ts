import { z } from 'zod';
import { operation } from '../../service/http/operation.ts';
import { listAnswer, listOf } from '../list-page.ts';
import { LIE_ACTS, LIE_FAMILIES, LIES } from './lie-table.ts';

/** One lie. `rule`: the ids of the rules of the contract that it breaks; `deep`: it changes rows, and not only answers. */
const lieRecord = z.strictObject({
  name: z.string(),
  family: z.enum(LIE_FAMILIES),
  rule: z.array(z.string()),
  harm: z.string(),
  sees: z.string(),
  acts: z.enum(LIE_ACTS),
  deep: z.boolean(),
});

export const listLies = operation({
  name: 'listLies',
  method: 'GET',
  path: '/_emulator/lies',
  summary: 'Every lie that a fault rule can tell: what it breaks, whom it harms and what notices it.',
  access: 'local',
  ungated: true,
  answer: listAnswer(lieRecord),
  handle: () =>
    listOf(
      LIES.map(({ name, family, rule, harm, sees, acts, deep }) => {
        return { name, family, rule: [...rule], harm, sees, acts, deep };
      }),
    ),
});
