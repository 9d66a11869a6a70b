import type { Operation } from '../service/http/operation.ts';
import { ACCOUNT_AND_TEST_OPERATIONS } from './accounts.ts';
import { MODEL_AND_EFFECT_OPERATIONS } from './catalogue.ts';
import { CLOCK_OPERATIONS } from './clock.ts';
import { FAULT_OPERATIONS } from './faults.ts';
import { FIXTURE_OPERATIONS } from './fixtures.ts';
import { FLOW_OPERATIONS } from './flows.ts';
import { HOLD_OPERATIONS } from './holds.ts';
import { INBOX_AND_RECEIVER_OPERATIONS } from './inbox.ts';
import { INSTANCE_OPERATIONS } from './instance.ts';
import { JOB_OPERATIONS } from './jobs.ts';
import { JOURNAL_AND_AUDIT_OPERATIONS } from './journal.ts';
import { LEDGER_OPERATIONS } from './ledger.ts';
import { LIBRARY_AND_STORAGE_OPERATIONS } from './library.ts';
import { ORDER_OPERATIONS } from './orders/order-operations.ts';
import { FLOW_RUN_OPERATIONS } from './runs.ts';
import { searchRecords } from './search/search-operations.ts';
import { SNAPSHOT_OPERATIONS } from './snapshots.ts';
import { saveTrace } from './trace/save-trace.ts';
import { waitFor } from './wait.ts';
import { WEBHOOK_OPERATIONS } from './webhooks.ts';

export const CONTROL_OPERATIONS = [
  ...INSTANCE_OPERATIONS,
  ...CLOCK_OPERATIONS,
  ...ACCOUNT_AND_TEST_OPERATIONS,
  ...LEDGER_OPERATIONS,
  ...JOB_OPERATIONS,
  waitFor,
  ...MODEL_AND_EFFECT_OPERATIONS,
  ...LIBRARY_AND_STORAGE_OPERATIONS,
  ...WEBHOOK_OPERATIONS,
  ...INBOX_AND_RECEIVER_OPERATIONS,
  ...JOURNAL_AND_AUDIT_OPERATIONS,
  ...ORDER_OPERATIONS,
  searchRecords,
  saveTrace,
  ...FAULT_OPERATIONS,
  ...HOLD_OPERATIONS,
  ...SNAPSHOT_OPERATIONS,
  ...FIXTURE_OPERATIONS,
  ...FLOW_OPERATIONS,
  ...FLOW_RUN_OPERATIONS,
] as const satisfies readonly Operation[];
