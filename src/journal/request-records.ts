import { z } from 'zod';

const known = {
  id: z.string(),
  account_id: z.string().nullable(),
  key_id: z.string().nullable(),
  method: z.string(),
  path: z.string(),
  operation: z.string().nullable(),
  /** 0: the connection was reset. */
  status: z.int(),
  /** The emulator's time of arrival, in unix seconds. */
  created: z.int(),
  duration_ms: z.number(),
  /** How often the client says that it has tried before. */
  retry_count: z.int(),
  credits: z.int().nullable(),
  job_ids: z.array(z.string()).readonly(),
  /** It belongs to a future that a restore has discarded: what it led to is known from this record alone. */
  discarded: z.literal(true).optional(),
};

/** One request as a list shows it, without its bodies; `error` is the code of its answer, `fault` the rule that applied to it. */
export const requestLineRecord = z.strictObject({
  ...known,
  /** The machine's time of arrival, in milliseconds. */
  began: z.number(),
  error: z.string().nullable(),
  fault: z.string().nullable(),
  /** What `svc-emulator-warnings` named, and what `svc-emulator-dropped`. */
  warnings: z.string().nullable(),
  dropped: z.string().nullable(),
});

export type RequestLine = z.infer<typeof requestLineRecord>;

/** A request with all that it led to: keys redacted, bodies cut where they are long. */
export const requestRecord = z.strictObject({
  ...known,
  /** By the clock of the machine. */
  received_at: z.string(),
  /** Ids of the ledger entries by which it was charged, refunded or not. */
  charges: z.array(z.string()).readonly(),
  /** The run of a flow that it started. */
  run_id: z.string().nullable(),
  event_ids: z.array(z.string()),
  delivery_ids: z.array(z.string()),
  /** The fault rule that applied to it, and the scripted answer that it got. */
  fault: z.string().optional(),
  fixture: z.string().optional(),
  warnings: z.string().optional(),
  dropped: z.string().optional(),
  /** After how many seconds it was asked to come again. */
  retry_after: z.number().optional(),
  /** The connection was over before the answer was. */
  cut: z.literal(true).optional(),
  engine_prompt: z
    .array(z.strictObject({ role: z.string(), text: z.string(), images: z.int() }))
    .readonly()
    .optional(),
  request: z.string().nullable(),
  answer: z.string().nullable(),
  /** The lies that were told, and the answer in whose place one was. */
  lie: z.string().optional(),
  truth: z
    .strictObject({
      status: z.int(),
      headers: z.record(z.string(), z.union([z.string(), z.number(), z.array(z.string()).readonly()])),
      body: z.string().nullable(),
    })
    .optional(),
});

export type RequestRecord = z.infer<typeof requestRecord>;
