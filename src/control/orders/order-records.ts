import type { ClockSyncPoint } from '../../base/clock/virtual-clock.ts';
import type { StoredRun } from '../../engine/flows/flow-store.ts';
import type { Job } from '../../engine/jobs/job-store.ts';
import type { JournalEntry } from '../../engine/journal/journal-record.ts';
import type { RunStep } from '../../engine/orders/run-step-store.ts';
import type { StoredDelivery, StoredEvent } from '../../engine/webhooks/delivery-store.ts';
import type { PublicLedgerEntry } from '../ledger.ts';
import type { DeliberateCauses } from './order-causes.ts';

export interface OrderRecords {
  id: string;
  request: JournalEntry | undefined;
  reads: readonly JournalEntry[];
  jobs: readonly Job[];
  entries: readonly PublicLedgerEntry[];
  events: readonly StoredEvent[];
  deliveries: readonly StoredDelivery[];
  run: { run: StoredRun; steps: readonly RunStep[] } | undefined;
  causes: DeliberateCauses;
  notes: readonly { at: number; text: string }[];
  /** With `marks`, `toRealTime` converts the emulator's time to the machine's. `now` is the machine's time in milliseconds. */
  clock: { marks: readonly ClockSyncPoint[]; now: number };
}

/** `good`: success; `bad`: failure; `wait`: needs a decision or attention; `work`: in progress; `plain`: none of these. */
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

export function sumChargesAndRefunds({ entries }: Pick<OrderRecords, 'entries'>): {
  charged: number;
  refunded: number;
} {
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
