import { z } from 'zod';
import type { ChoiceId } from '../../base/errors.ts';

const known = {
  id: z.string(),
  account_id: z.string().nullable(),
  key_id: z.string().nullable(),
  method: z.string(),
  path: z.string(),
  operation: z.string().nullable(),
  /** 0 if the connection was reset. */
  status: z.int(),
  /** The emulator's time of arrival, in unix seconds. */
  created: z.int(),
  duration_ms: z.number(),
  retry_count: z.int(),
  credits: z.int().nullable(),
  job_ids: z.array(z.string()).readonly(),
};

const detail = {
  /** The ids of the ledger entries that charged for the request, refunded or not. */
  charges: z.array(z.string()).readonly(),
  fault: z.string().optional(),
  fixture: z.string().optional(),
  warnings: z.string().optional(),
  dropped: z.string().optional(),
  retry_after: z.number().optional(),
  cut: z.literal(true).optional(),
  engine_prompt: z
    .array(z.strictObject({ role: z.string(), text: z.string(), images: z.int() }))
    .readonly()
    .optional(),
};

export const internalRequestFields = {
  /** The time of arrival in milliseconds: the machine's, and the emulator's if it differs. */
  began: z.number(),
  received: z.number().optional(),
  /** The error of the response: its code and message, and for a 402 the balance (`left`). */
  error: z.string().optional(),
  error_message: z.string().optional(),
  left: z.number().optional(),
  /** The documented choice behind the rejection, such as `C093`, if the specification leaves it open. */
  choice: z.custom<ChoiceId>().optional(),
  other_faults: z.array(z.string()).readonly().optional(),
  /** Set if a directive, a fault rule, a profile, a scripted answer or a control operation caused the error. */
  asked: z.literal(true).optional(),
  /** Set if the request body is not recorded in full. */
  request_cut: z.literal(true).optional(),
  /** The charged model. Set only for a paid request whose body is not recorded in full. */
  model: z.string().nullable().optional(),
  bytes: z.int().optional(),
  /** A hash of a form, which is equal for uploads that differ only in the boundary. */
  form: z.string().optional(),
  streamed: z.literal(true).optional(),
  shown: z
    .array(z.strictObject({ id: z.string(), status: z.string() }))
    .readonly()
    .optional(),
};

const journalRecord = z.strictObject({
  ...known,
  ...detail,
  ...internalRequestFields,
  run_id: z.string().optional(),
});

export type JournalRecord = z.infer<typeof journalRecord>;

/** A request without its bodies. `error` is the error code of the response. */
export const requestSummarySchema = z.strictObject({
  ...known,
  began: z.number(),
  error: z.string().nullable(),
  fault: z.string().nullable(),
  warnings: z.string().nullable(),
  dropped: z.string().nullable(),
});

export type RequestSummary = z.infer<typeof requestSummarySchema>;

/** A request with its bodies. Keys and secrets are redacted, and long bodies are cut. */
export const requestRecordSchema = z.strictObject({
  ...known,
  /** The time of arrival by the machine's clock. */
  received_at: z.string(),
  ...detail,
  run_id: z.string().nullable(),
  event_ids: z.array(z.string()),
  delivery_ids: z.array(z.string()),
  request: z.string().nullable(),
  answer: z.string().nullable(),
});

export type RequestRecord = z.infer<typeof requestRecordSchema>;
