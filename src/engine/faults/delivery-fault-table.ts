export interface DeliveryFaultDefinition {
  words: string;
  seen: string;
  signature?: 'other_secret' | 'old' | 'repeated' | 'renewed' | 'two';
  body?: 'forged' | 'unknown_type' | 'respelled';
  /**
   * Set if the fault sends another delivery before or after the original, which stays unchanged. Otherwise the fault
   * applies to the original.
   */
  extra?: 'before' | 'after';
  /**
   * What a correct receiver does with the changed or additional delivery: it returns 2xx and acts (`accept`), returns
   * 2xx and does nothing (`ignore`), or returns 4xx (`refuse`). `none`: nothing is sent.
   */
  receiver: 'accept' | 'ignore' | 'refuse' | 'none';
  advice?: string;
}

export const DELIVERY_FAULT_DEFINITIONS = {
  late: { words: 'Delivers 2 s late', seen: 'arrives 2 s late', receiver: 'accept' },
  after_all: {
    words: 'Delivers when nothing else has begun for 3 s',
    seen: 'arrives after everything else',
    receiver: 'accept',
  },
  duplicate: {
    words: 'Delivers twice',
    seen: 'arrives twice, the second after the response to the first',
    signature: 'repeated',
    extra: 'after',
    receiver: 'ignore',
    advice:
      'Store the id of each event that you have handled, and return 2xx for one that you know: a redelivery is not an error.',
  },
  twin: {
    words: 'Delivers twice at the same time',
    seen: 'arrives twice at the same time',
    extra: 'after',
    receiver: 'ignore',
  },
  resent: {
    words: 'Delivers again with a new signature',
    seen: 'arrives again with a new signature',
    signature: 'renewed',
    extra: 'after',
    receiver: 'ignore',
  },
  reorder: {
    words: 'Delivers after the next one',
    seen: 'arrives after the next one to the same endpoint',
    receiver: 'accept',
    advice:
      'Deliveries may arrive in another order than the events happened. Compare created, or read the current state from the API, and return 2xx.',
  },
  bad_signature: {
    words: 'Signs the delivery wrongly',
    seen: 'arrives with a wrong signature',
    signature: 'other_secret',
    receiver: 'refuse',
    advice:
      'Compute the HMAC-SHA256 of "<t>.<raw body>" with your secret. Compare it in constant time with every v1 of svc-signature, and return 400 if none is equal.',
  },
  old_timestamp: {
    words: 'Signs with an old timestamp',
    seen: 'arrives with a signature that is ten minutes old',
    signature: 'old',
    receiver: 'refuse',
    advice:
      'After you verify the signature, compare t with your clock. Return 400 if it is more than 300 s old, or anyone who saw one delivery can send it for ever.',
  },
  forged: {
    words: 'Sends a forged one first',
    seen: 'arrives after a forged one with the same id',
    signature: 'other_secret',
    body: 'forged',
    extra: 'before',
    receiver: 'refuse',
  },
  replayed: {
    words: 'Sends it again with an old signature',
    seen: 'arrives again with a signature that is ten minutes old',
    signature: 'old',
    extra: 'after',
    receiver: 'refuse',
  },
  spelled: {
    words: 'Writes the same JSON in other bytes',
    seen: 'arrives as the same JSON in other bytes, correctly signed',
    body: 'respelled',
    receiver: 'accept',
    advice:
      'Verify the bytes as they arrived, before a JSON parser reads them: JSON that was parsed and written again has other bytes. Most frameworks offer a raw body: express.raw(), request.text(), a content type parser.',
  },
  two_proofs: {
    words: 'Sends two signatures, the second one correct',
    seen: 'has two v1, the second one correct',
    signature: 'two',
    receiver: 'accept',
    advice:
      'Split svc-signature at its commas, read every v1, and accept if one of them is valid. Ignore versions that you do not know. There are two v1 while a secret is rotated.',
  },
  unknown_type: {
    words: 'Sends an event of an unknown type first',
    seen: 'first receives an event of an unknown type',
    body: 'unknown_type',
    extra: 'before',
    receiver: 'ignore',
    advice: 'Return 2xx for types that you do not know: new ones may be added at any time.',
  },
  drop: { words: 'Loses the delivery', seen: 'never arrives', receiver: 'none' },
} as const satisfies Record<string, DeliveryFaultDefinition>;

export type DeliveryFault = keyof typeof DELIVERY_FAULT_DEFINITIONS;

export const DELIVERY_FAULTS = Object.keys(DELIVERY_FAULT_DEFINITIONS) as [DeliveryFault, ...DeliveryFault[]];

export function deliveryFaultDefinition(fault: DeliveryFault): DeliveryFaultDefinition {
  return DELIVERY_FAULT_DEFINITIONS[fault];
}
