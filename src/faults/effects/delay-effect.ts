import { effectRow } from './effect-row.ts';
import { count, figure, LONGEST_WAIT } from './effect-values.ts';

/** Held up before its work, in real time or until the client hangs up; a directive's answer can be held up too. */
export const delayEffect = effectRow({
  fields: { delay_ms: count(1, LONGEST_WAIT).describe('milliseconds of real time, 1 to 600000.') },
  layer: 'request',
  domain: 'requests',
  reaches: () => true,
  acts: () => true,
  async meet({ delay_ms }, meeting) {
    await meeting.wait(delay_ms);
    return undefined;
  },
  words: ({ delay_ms }) => `Waits ${figure(delay_ms)} ms`,
  form: {
    text: 'Wait',
    shape: 'flat',
    fields: [{ name: 'delay_ms', label: 'Milliseconds', type: 'number', min: 1, max: LONGEST_WAIT, value: '800' }],
  },
  presets: [
    {
      text: 'Slow network',
      note: 'Every request waits 1.5 seconds, until the rule is removed',
      match: {},
      effect: { delay_ms: 1500 },
      times: 0,
    },
  ],
});
