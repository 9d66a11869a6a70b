import { z } from 'zod';
import type { ChoiceId } from '../../base/errors.ts';

const wholeAnswer = z.strictObject({
  status: z.int(),
  headers: z.record(z.string(), z.union([z.string(), z.number(), z.array(z.string()).readonly()])),
  /** Null where it is no text. */
  body: z.string().nullable(),
});

/** An answer as it was sent, or as it would have been if it had not been changed. */
export type WholeAnswer = z.infer<typeof wholeAnswer>;

/** The field of a record that names what changed what was sent. */
export const ALTERED = 'violation';
export const alteredField = { [ALTERED]: z.string().optional() };

/** What changed an answer, the response that was sent, and the true one; bodies are redacted and bounded. */
const alteredAnswer = z.strictObject({
  ...alteredField,
  response: wholeAnswer.optional(),
  original: wholeAnswer.optional(),
});

export type AlteredAnswer = z.infer<typeof alteredAnswer>;

/** Of every request, in every list of requests. */
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
  /** It belongs to a future that a restore has discarded: what it led to is known from this record alone. Not stored. */
  discarded: z.literal(true).optional(),
};

/** Shown where one request is. */
const detail = {
  /** Ids of the ledger entries by which it was charged, refunded or not. */
  charges: z.array(z.string()).readonly(),
  /** The fault rule that applied to it, and the scripted answer that it got. */
  fault: z.string().optional(),
  fixture: z.string().optional(),
  /** What `svc-emulator-warnings` and `svc-emulator-dropped` named. */
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
  ...alteredAnswer.shape,
};

/** Read by the emulator: a client finds it in the answer, or in the explanation of the request. */
export const internal = {
  /** The machine's time of arrival, in milliseconds; and the emulator's, where that is another one. */
  began: z.number(),
  received: z.number().optional(),
  /** The error that it was answered with; of a 402, what there was to pay with. */
  error: z.string().optional(),
  error_message: z.string().optional(),
  left: z.number().optional(),
  /** The choice by which it was refused, where the service leaves that open; and whether a test asked for the error. */
  choice: z.custom<ChoiceId>().optional(),
  asked: z.literal(true).optional(),
  /** Not all of its body is kept. Then of a paid one: the model that was charged for. */
  request_cut: z.literal(true).optional(),
  model: z.string().nullable().optional(),
  /** Of an upload: how large its file is. */
  bytes: z.int().optional(),
  /** The same for uploads that are alike, whatever the boundaries of their forms. */
  form: z.string().optional(),
  /** It was answered with a stream that began. */
  streamed: z.literal(true).optional(),
  /** The jobs that its answer shows, with their states then. */
  shown: z
    .array(z.strictObject({ id: z.string(), status: z.string() }))
    .readonly()
    .optional(),
};

const requestFacts = z.strictObject({
  ...known,
  ...detail,
  ...internal,
  /** The run of a flow that it started. */
  run_id: z.string().optional(),
});

/** One request, but for the bodies: what it was, who paid what for it. */
export type JournalFacts = z.infer<typeof requestFacts>;

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
  ...detail,
  /** The run of a flow that it started. */
  run_id: z.string().nullable(),
  event_ids: z.array(z.string()),
  delivery_ids: z.array(z.string()),
  request: z.string().nullable(),
  answer: z.string().nullable(),
});

export type RequestRecord = z.infer<typeof requestRecord>;
