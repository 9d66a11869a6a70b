import { z } from 'zod';
import { effectRow } from './effect-row.ts';

/** The connection is reset before anything is done: the request was lost on its way. */
export const dropEffect = effectRow({
  fields: { drop: z.literal(true).describe('true.') },
  layer: 'request',
  ends: true,
  domain: 'requests',
  reaches: () => true,
  meet: (_effect, meeting) => meeting.reset(),
  words: () => 'Resets the connection',
  form: { text: 'Reset the connection', shape: 'true', fields: [] },
  presets: [
    {
      text: 'Connection lost',
      note: 'The next request gets no answer, and nothing is done',
      match: { path: '/v1' },
      effect: { drop: true },
      times: 1,
    },
  ],
});
