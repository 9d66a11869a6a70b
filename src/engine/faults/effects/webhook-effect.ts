import { z } from 'zod';
import { deliveryFaultRow, WEBHOOK_FAULTS } from '../delivery-faults.ts';
import { effectRow } from './effect-row.ts';

/** What happens to an event on its way; with `match.nth`, to the nth event that fits [I142 I196 I237]. */
export const webhookEffect = effectRow({
  fields: { webhook: z.enum(WEBHOOK_FAULTS).describe(`${WEBHOOK_FAULTS.join(', ')}.`) },
  layer: 'event',
  domain: 'images, clips, songs and runs, whose end is announced,',
  // The event of another member's job needs a job like the one that is announced.
  reaches: ({ announces, paid }, { webhook }) => announces && (webhook !== 'foreign' || paid !== undefined),
  changes: ({ webhook }) => ({ take: { faults: { webhook } } }),
  words: ({ webhook }) => deliveryFaultRow(webhook).words,
  form: {
    text: 'Spoil a webhook',
    shape: 'flat',
    fields: [
      {
        name: 'webhook',
        label: 'How',
        type: 'options',
        options: WEBHOOK_FAULTS.map((name) => [name, deliveryFaultRow(name).words] as const),
        value: 'duplicate',
      },
    ],
  },
  presets: [
    {
      text: 'Webhooks twice',
      note: 'Every delivery comes twice, until the rule is removed',
      match: {},
      effect: { webhook: 'duplicate' },
      times: 0,
    },
  ],
});
