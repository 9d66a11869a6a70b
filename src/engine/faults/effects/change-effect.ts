import { z } from 'zod';
import { CHANGE_DESCRIPTIONS, COMPATIBLE_CHANGES } from '../compatible-changes.ts';
import { effectRow } from './effect-row.ts';

/** Changes the response within the contract, and the events of the jobs that the request orders. */
export const changeEffect = effectRow({
  fields: { change: z.enum(COMPATIBLE_CHANGES).describe(`one of ${COMPATIBLE_CHANGES.join(', ')}.`) },
  layer: 'change',
  domain: 'operations of the service',
  reaches: ({ surface }) => surface !== 'cdn',
  acts: () => true,
  changes: ({ change }) => ({ change, take: { faults: { change } } }),
  words: ({ change }) => `Changes within the contract: ${CHANGE_DESCRIPTIONS[change]}`,
  form: {
    text: 'Change within the contract',
    shape: 'flat',
    fields: [
      {
        name: 'change',
        label: 'Change',
        type: 'options',
        options: Object.entries(CHANGE_DESCRIPTIONS),
        value: 'extra_field',
      },
    ],
  },
});
