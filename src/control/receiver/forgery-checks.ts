import { DELIVERY_FAULT_ROWS, deliveryFaultRow, type WebhookFault } from '../../engine/faults/delivery-faults.ts';
import type { DeliveryContent } from '../../engine/webhooks/delivery-fault.ts';
import type { EventType } from '../../engine/webhooks/event-schemas.ts';
import { contentOf, MEND, type Posting, type ReceiverKit } from './receiver-kit.ts';

/** Past the 5 minutes that a signature is good. */
const OLD_SECONDS = 600;

const { advice: SIGNATURE } = DELIVERY_FAULT_ROWS.bad_signature;
const { advice: VERSIONS } = DELIVERY_FAULT_ROWS.two_proofs;

/** Tries what a fault rule does to a delivery. A receiver that ignores it answers 2xx, too. */
export function ofFault(
  fault: WebhookFault,
  named: Pick<ReceiverCheck, 'title' | 'note'> & { name?: string },
): ReceiverCheck {
  const { receiver, advice: mend = '' } = deliveryFaultRow(fault);
  const sends = (kit: ReceiverKit) => kit.faulty(kit.envelope(PLAIN), fault);
  return { name: fault, expects: receiver === 'refuse' ? 'refuse' : 'accept', sends, mend, ...named };
}

export const FORGERIES: ReceiverCheck[] = [
  ofFault('bad_signature', { title: 'refuses a signature made with another secret' }),
  {
    name: 'altered_byte',
    title: 'refuses a body of which one byte was altered',
    expects: 'refuse',
    sends(kit) {
      const posting = kit.genuine(kit.envelope(PLAIN));
      const body = posting.body.toString().replace('job_sample', 'job_samplE');
      return [{ ...posting, body: Buffer.from(body) }];
    },
    mend: SIGNATURE,
  },
  ofFault('old_timestamp', { title: 'refuses a signature that is 10 minutes old' }),
  {
    name: 'moved_timestamp',
    title: 'refuses an old signature under a new time',
    expects: 'refuse',
    sends(kit) {
      const content = plain(kit);
      const old = kit.proof(content.body, kit.now - OLD_SECONDS);
      return [kit.posting(content, `t=${kit.now},v1=${old}`)];
    },
    mend: SIGNATURE,
  },
  {
    name: 'missing_header',
    title: 'refuses a delivery without svc-signature',
    expects: 'refuse',
    sends: (kit) => [kit.posting(plain(kit), undefined)],
    mend: MEND.header,
  },
  {
    name: 'short_signature',
    title: 'refuses a v1 of the wrong length',
    expects: 'refuse',
    sends: (kit) => [kit.posting(plain(kit), `t=${kit.now},v1=abc`)],
    mend: MEND.header,
  },
];

export const HEADERS: ReceiverCheck[] = [
  // While a secret is exchanged, a delivery is signed with the old one and with the new one.
  {
    name: 'first_of_two_signatures',
    title: 'accepts two v1 of which the first fits',
    expects: 'accept',
    sends(kit) {
      const content = plain(kit);
      return [kit.posting(content, `t=${kit.now},v1=${kit.proof(content.body, kit.now)},v1=${'0'.repeat(64)}`)];
    },
    mend: VERSIONS,
  },
  ofFault('two_proofs', { name: 'second_of_two_signatures', title: 'accepts two v1 of which the second fits' }),
  {
    name: 'future_version',
    title: 'accepts a v1 beside a version that does not exist yet',
    expects: 'accept',
    sends(kit) {
      const content = plain(kit);
      const t = kit.now;
      return [kit.posting(content, `t=${t},v2=${'f'.repeat(128)},v1=${kit.proof(content.body, t)}`)];
    },
    mend: VERSIONS,
  },
  ofFault('spelled', { name: 'other_spelling', title: 'accepts JSON that is spelled in another way' }),
];

function plain(kit: ReceiverKit): DeliveryContent {
  return contentOf(kit.envelope(PLAIN));
}

/** One thing that happens in production. All that it sends is sent in order, and the last answer is judged. */
export interface ReceiverCheck {
  name: string;
  title: string;
  /** Whether a correct receiver answers 2xx, or refuses with 4xx. */
  expects: 'accept' | 'refuse';
  sends(kit: ReceiverKit): Posting[];
  /** What to change in a receiver that fails. */
  mend: string;
  /** What cannot be seen from outside. */
  note?: string;
}
export const PLAIN: EventType = 'image.generation.succeeded';
