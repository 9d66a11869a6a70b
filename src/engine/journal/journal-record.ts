import { unixSeconds } from '../../base/clock/clock.ts';
import type { NewJournalRow } from './journal-store.ts';
import type { JournalRecord } from './request-schemas.ts';

export interface JournalBodies {
  request: string | null;
  answer: string | null;
}

export type JournalEntry = JournalRecord & JournalBodies;

export interface RecordWithBodies {
  record: JournalRecord;
  bodies: JournalBodies;
}

export interface RecordBuilder {
  readonly journalEpoch: number;
  record(): RecordWithBodies;
}

type KeptRecord = Partial<Omit<JournalRecord, 'id' | 'account_id' | 'status' | 'created'>>;

const NONE: string[] = [];

export function journalEntryOf({ id, accountId, status, record, request, answer }: NewJournalRow): JournalEntry {
  const kept: KeptRecord = JSON.parse(record);
  const { key_id = null, method = '', path = '', operation = null, began = 0, received, duration_ms = 0 } = kept;
  const { retry_count = 0, credits = null, charges = NONE, job_ids = NONE, ...rare } = kept;
  return {
    id,
    account_id: accountId,
    key_id,
    method,
    path,
    operation,
    status,
    created: unixSeconds(received ?? began),
    began,
    received,
    duration_ms,
    retry_count,
    credits,
    charges,
    job_ids,
    ...rare,
    request,
    answer,
  };
}

/**
 * Makes the row of a record. Sets fields without information to undefined, so that the JSON leaves them out: building
 * an object without them would be slow.
 */
export function toJournalRow(record: JournalRecord, { request, answer }: JournalBodies): NewJournalRow {
  const { id, account_id: accountId, status, key_id, operation, retry_count, credits, charges, job_ids } = record;
  const present = {
    ...record,
    id: undefined,
    account_id: undefined,
    status: undefined,
    created: undefined,
    key_id: key_id ?? undefined,
    operation: operation ?? undefined,
    retry_count: retry_count || undefined,
    credits: credits ?? undefined,
    charges: charges.length > 0 ? charges : undefined,
    job_ids: job_ids.length > 0 ? job_ids : undefined,
  };
  return { id, accountId, status, record: JSON.stringify(present), request, answer };
}
