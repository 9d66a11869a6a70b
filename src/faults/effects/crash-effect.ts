import { z } from 'zod';
import { CRASH_POINTS, type CrashPoint } from '../struck.ts';
import { effectRow } from './effect-row.ts';

const WORDS: Record<CrashPoint, string> = {
  after_charge: 'After the charge',
  after_work: 'After the work',
  after_settle: 'After the settling',
  before_delivery: 'Before the delivery',
};

/** The emulator's own process ends there, and is started again: under `--supervise` only. */
export const crashEffect = effectRow({
  fields: { crash: z.enum(CRASH_POINTS).describe(`${CRASH_POINTS.join(', ')}.`) },
  layer: 'process',
  kills: true,
  domain: 'paid operations, before_delivery on those whose end is announced,',
  reaches: ({ paid, announces }, { crash }) => (crash === 'before_delivery' ? announces : paid !== undefined),
  suffer: ({ crash }) => ({ unit: { faults: { crash } } }),
  words: ({ crash }) => `Ends the process ${WORDS[crash].toLowerCase()}`,
  form: {
    text: 'End the process',
    shape: 'flat',
    fields: [
      {
        name: 'crash',
        label: 'When',
        type: 'options',
        options: Object.entries(WORDS),
        value: 'after_work',
        note: 'It is started again: with --supervise only.',
      },
    ],
  },
});
