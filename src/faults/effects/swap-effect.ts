import { z } from 'zod';
import { effectRow } from './effect-row.ts';

/** The answer comes after the next one of the same account, or after a second of real time [I237]. */
export const swapEffect = effectRow({
  fields: { swap: z.literal(true).describe('true.') },
  layer: 'request',
  domain: 'requests of the service',
  reaches: ({ surface }) => surface === 'service',
  suffer: () => ({ answer: 'swapped' }),
  words: () => 'Answers after the next answer',
  form: { text: 'Answer after the next answer', shape: 'true', fields: [] },
});
