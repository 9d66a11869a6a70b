import { z } from 'zod';
import { WEBHOOK_FAULTS, type WebhookFault } from '../struck.ts';
import { effectRow } from './effect-row.ts';

/** How a delivery is spoilt, each as the text of a rule says it. How it is done stands in `webhooks/delivery-fault.ts`. */
const WORDS: Record<WebhookFault, string> = {
  late: 'Delivers 2 s late',
  duplicate: 'Delivers twice',
  reorder: 'Delivers after the next one',
  bad_signature: 'Signs the delivery wrongly',
  old_timestamp: 'Signs with an old timestamp',
  drop: 'Loses the delivery',
};

/** What happens to an event on its way; with `match.nth`, to the nth event that fits [I142 I196 I237]. */
export const webhookEffect = effectRow({
  fields: { webhook: z.enum(WEBHOOK_FAULTS).describe(`${WEBHOOK_FAULTS.join(', ')}.`) },
  layer: 'event',
  domain: 'images, clips, songs and runs, whose end is announced,',
  reaches: ({ announces }) => announces,
  suffer: ({ webhook }) => ({ unit: { faults: { webhook } } }),
  words: ({ webhook }) => WORDS[webhook],
  form: {
    text: 'Spoil a webhook',
    shape: 'flat',
    fields: [{ name: 'webhook', label: 'How', type: 'options', options: Object.entries(WORDS), value: 'duplicate' }],
  },
  presets: [
    {
      ...{ text: 'Webhooks twice', note: 'Every delivery comes twice, until the rule is removed' },
      ...{ match: {}, effect: { webhook: 'duplicate' }, times: 0 },
    },
  ],
});
