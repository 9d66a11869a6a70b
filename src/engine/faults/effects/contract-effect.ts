import { z } from 'zod';
import { effectRow, maybe } from './effect-row.ts';

const FIELD = /^[A-Za-z0-9_*-]+(?:\.[A-Za-z0-9_*-]+)*$/;

/**
 * Breaks one rule of the contract in one way. It acts on the answer as it leaves, on events, files, jobs and the ledger,
 * and until the rule is deleted unless it has `times`; `GET /_emulator/violations` lists the names.
 */
export const violationEffect = effectRow({
  fields: {
    violation: z.string().min(1).max(64).describe('a name of GET /_emulator/violations.'),
    field: maybe(z.string().max(200).regex(FIELD, { error: 'is no dotted path', abort: true })).describe(
      'of field.* the dotted path of a field; 0 is the first of a list, * every one.',
    ),
  },
  layer: 'standing',
  domain: 'what its row of GET /_emulator/violations names',
  reaches: () => true,
  words: ({ violation, field }) =>
    field === undefined
      ? `Breaks the contract on purpose: ${violation}`
      : `Breaks the contract on purpose: ${violation} of ${field}`,
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
export const compatibleChangeEffect = effectRow({
  fields: { compatible_change: z.string().min(1).max(64).describe('extra_field, key_order, spelling, and others.') },
  layer: 'standing',
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

/** What an extra does to the contract; it gives their forms what they offer. */
export const contractEffects = { violation: violationEffect, compatible_change: compatibleChangeEffect };
