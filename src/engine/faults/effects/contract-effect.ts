import { z } from 'zod';
import { effectRow, maybe } from './effect-row.ts';

const FIELD = /^[A-Za-z0-9_*-]+(?:\.[A-Za-z0-9_*-]+)*$/;

/**
 * Breaks one rule of the contract in one way. It acts on the answer as it leaves, on events, files, jobs and the ledger,
 * and until the rule is deleted unless it has `times`; `GET /_emulator/lies` lists the names.
 */
export const lieEffect = effectRow({
  fields: {
    lie: z.string().min(1).max(64).describe('a name of GET /_emulator/lies.'),
    field: maybe(z.string().max(200).regex(FIELD, { error: 'is no dotted path', abort: true })).describe(
      'of field.* the dotted path of a field; 0 is the first of a list, * every one.',
    ),
  },
  layer: 'standing',
  domain: 'what its row of GET /_emulator/lies names',
  reaches: () => true,
  words: ({ lie, field }) => (field === undefined ? `Lies on purpose: ${lie}` : `Lies on purpose: ${lie} of ${field}`),
  form: {
    text: 'Break a rule of the contract',
    shape: 'flat',
    fields: [
      {
        name: 'lie',
        label: 'Lie',
        type: 'options',
        options: [],
        value: 'refund.none',
      },
      {
        name: 'field',
        label: 'Field',
        type: 'text',
        isOptional: true,
        note: 'A dotted path, such as usage.credits_spent or choices.0.index; * is every one of a list.',
      },
    ],
  },
});

/** Changes what the contract leaves open, which every client has to accept. */
export const libertyEffect = effectRow({
  fields: { liberty: z.string().min(1).max(64).describe('extra_field, key_order, spelling, and others.') },
  layer: 'standing',
  domain: 'answers, events and files',
  reaches: () => true,
  words: ({ liberty }) => `Takes a liberty: ${liberty}`,
  form: {
    text: 'Take a liberty of the contract',
    shape: 'flat',
    fields: [
      {
        name: 'liberty',
        label: 'Liberty',
        type: 'options',
        options: [],
        value: 'extra_field',
      },
    ],
  },
});

/** What an extra does to the contract; it gives their forms what they offer. */
export const contractEffects = { lie: lieEffect, liberty: libertyEffect };
