import { z } from 'zod';
import { WEBHOOK_FAULTS, type WebhookFault } from '../struck.ts';
import { effectRow } from './effect-row.ts';

/** How a delivery is spoilt, each as the text of a rule says it. How it is done stands in `webhooks/delivery-fault.ts`. */
const WORDS: Record<WebhookFault, string> = {
  late: 'Delivers 2 s late',
  after_all: 'Delivers when nothing else has begun for 3 s',
  duplicate: 'Delivers twice',
  twin: 'Delivers twice at the same time',
  resent: 'Delivers again, signed anew',
  reorder: 'Delivers after the next one',
  bad_signature: 'Signs the delivery wrongly',
  old_timestamp: 'Signs with an old timestamp',
  forged: 'Sends a forged one first',
  replayed: 'Sends it once more with an old signature',
  spelled: 'Spells the same JSON otherwise',
  two_proofs: 'Signs with two proofs, the second one right',
  foreign: "Sends the event of somebody else's job first",
  unknown_type: 'Sends an event of an unknown type first',
  drop: 'Loses the delivery',
};

/** What happens to an event on its way; with `match.nth`, to the nth event that fits [I142 I196 I237]. */
export const webhookEffect = effectRow({
  fields: { webhook: z.enum(WEBHOOK_FAULTS).describe(`${WEBHOOK_FAULTS.join(', ')}.`) },
  layer: 'event',
  domain: 'images, clips, songs and runs, whose end is announced,',
  // Somebody else's job is a job like the one that is announced.
  reaches: ({ announces, paid }, { webhook }) => announces && (webhook !== 'foreign' || paid !== undefined),
  suffer: ({ webhook }) => ({ unit: { faults: { webhook } } }),
  words: ({ webhook }) => WORDS[webhook],
  form: {
    text: 'Spoil a webhook',
    shape: 'flat',
    fields: [{ name: 'webhook', label: 'How', type: 'options', options: Object.entries(WORDS), value: 'duplicate' }],
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
