import { z } from 'zod';
import { effectRow } from './effect-row.ts';

/** All of the work is done and charged; then the connection is reset before a byte of the answer [I237]. */
export const lostAnswerEffect = effectRow({
  fields: { lost_answer: z.literal(true).describe('true.') },
  layer: 'request',
  domain: 'requests',
  reaches: ({ surface }) => surface !== 'step',
  suffer: () => ({ answer: 'lost' }),
  words: () => 'Does the work and loses the answer',
  form: { text: 'Lose the answer', shape: 'true', fields: [] },
  presets: [
    {
      text: 'Answer lost',
      note: 'The next order is done and charged, and its answer never comes',
      match: { path: '/v1', method: 'POST' },
      effect: { lost_answer: true },
      times: 1,
    },
  ],
});
