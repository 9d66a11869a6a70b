import { z } from 'zod';
import { effectRow } from './effect-row.ts';

/** Acts on responses, events, files, jobs and the ledger until the rule is deleted, unless it has `times`. */
export const violationEffect = effectRow({
  fields: {
    violation: z.string().min(1).max(64).describe('the name of a violation, as in GET /_emulator/violations.'),
  },
  layer: 'contract',
  domain: 'what its row of GET /_emulator/violations names',
  reaches: () => true,
  words: ({ violation }) => `Breaks the contract on purpose: ${violation}`,
  form: {
    text: 'Break a rule of the contract',
    shape: 'flat',
    fields: [
      {
        name: 'violation',
        label: 'Violation',
        type: 'options',
        options: [],
        value: 'refund.none',
      },
    ],
  },
});

export const compatibleChangeEffect = effectRow({
  fields: {
    compatible_change: z
      .string()
      .min(1)
      .max(64)
      .describe('the name of a compatible change, such as extra_field, key_order or spelling.'),
  },
  layer: 'contract',
  domain: 'answers, events and files',
  reaches: () => true,
  words: ({ compatible_change }) => `Changes within the contract: ${compatible_change}`,
  form: {
    text: 'Change within the contract',
    shape: 'flat',
    fields: [
      {
        name: 'compatible_change',
        label: 'Compatible change',
        type: 'options',
        options: [],
        value: 'extra_field',
      },
    ],
  },
});
