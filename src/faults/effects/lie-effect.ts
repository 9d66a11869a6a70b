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
      'of field.* the dotted path of a field; * is every index.',
    ),
  },
  layer: 'lie',
  domain: 'what its row of GET /_emulator/lies names',
  reaches: () => true,
  words: ({ lie, field }) => (field === undefined ? `Tells the lie ${lie}` : `Tells the lie ${lie} of ${field}`),
  form: {
    text: 'Break a rule of the contract',
    shape: 'flat',
    fields: [
      { name: 'lie', label: 'Lie', type: 'text', value: 'refund.none', note: 'A name of GET /_emulator/lies.' },
      {
        name: 'field',
        label: 'Field',
        type: 'text',
        isOptional: true,
        note: 'Of field.* only, such as usage.credits_spent.',
      },
    ],
  },
});

/** Changes what the contract leaves open, which every client has to accept. */
export const libertyEffect = effectRow({
  fields: { liberty: z.string().min(1).max(64).describe('extra_field, key_order, spelling, and others.') },
  layer: 'lie',
  domain: 'answers, events and files',
  reaches: () => true,
  words: ({ liberty }) => `Takes the liberty ${liberty}`,
  form: {
    text: 'Take a liberty of the contract',
    shape: 'flat',
    fields: [{ name: 'liberty', label: 'Liberty', type: 'text', value: 'extra_field' }],
  },
});
