import type { JournalEntry } from '../../engine/journal/journal-record.ts';
import type { StoredDelivery } from '../../engine/webhooks/delivery-store.ts';

/**
 * `good`: success; `bad`: failure; `work`: in progress; `plain`: none of these. `wait`: waits for a decision, or is
 * unusual, such as a fault, an ignored field or a moved clock.
 */
export const OUTCOME_TONES = ['good', 'bad', 'wait', 'work', 'plain'] as const;
export type OutcomeTone = (typeof OUTCOME_TONES)[number];

export function jobIdOfGetRequest({ method, path }: Pick<JournalEntry, 'method' | 'path'>): string | undefined {
  if (method !== 'GET') return undefined;
  const [plain = ''] = path.split('?');
  return plain.split('/').find((segment) => segment.startsWith('job_'));
}

export function choiceReferenceText(id: string | undefined): string {
  return id === undefined ? '' : ` (choice ${id})`;
}

export function sumChargesAndRefunds({ entries }: { entries: readonly { type: string; amount: number }[] }) {
  const sum = (type: string) => entries.reduce((total, each) => total + (each.type === type ? each.amount : 0), 0);
  return { charged: 0 - sum('charge'), refunded: sum('refund') };
}

export function groupAttemptsByDelivery(
  deliveries: readonly StoredDelivery[],
): { first: StoredDelivery; tries: StoredDelivery[] }[] {
  const firsts = deliveries.filter(({ redeliveryOf }) => redeliveryOf === null);
  return firsts.map((first) => {
    const same = ({ eventId, endpointId }: StoredDelivery) =>
      eventId === first.eventId && endpointId === first.endpointId;
    return { first, tries: [first, ...deliveries.filter((each) => each.redeliveryOf !== null && same(each))] };
  });
}

export function decisiveAttempts(deliveries: readonly StoredDelivery[]): StoredDelivery[] {
  return groupAttemptsByDelivery(deliveries).map(
    ({ first, tries }) => tries.find(({ status }) => status === 'delivered') ?? tries.at(-1) ?? first,
  );
}
