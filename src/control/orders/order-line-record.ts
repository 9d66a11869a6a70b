import { z } from 'zod';
import { TONES } from './order-records.ts';

const tone = z.enum(TONES);
/** `done` of `of` results. Null if none can follow. */
const link = z.strictObject({ done: z.int(), of: z.int(), tone }).nullable();

/** `began` is the machine's time; both times are in milliseconds. */
export const orderLineRecord = z.strictObject({
  id: z.string(),
  /** `took` grows while the order is open. */
  time: z.strictObject({ began: z.number(), took: z.number(), is_open: z.boolean() }),
  /**
   * The beginning of the prompt or an empty text, the model, and other parameters such as `5 s`, `2 takes of 60 s` or
   * `stream`.
   */
  asked: z.strictObject({ words: z.string(), model: z.string().nullable(), what: z.string(), reads: z.int() }),
  call: z.strictObject({
    method: z.string(),
    path: z.string(),
    operation: z.string().nullable(),
    fault: z.string().nullable(),
    /** Violations that changed the response, or else an event. */
    violation: z.string().nullable(),
  }),
  whose: z.strictObject({ account_id: z.string().nullable(), key_id: z.string().nullable() }),
  status: z.strictObject({
    answer: z.strictObject({ status: z.int(), tone, cut: z.boolean() }).nullable(),
    work: link,
    events: link,
    deliveries: link,
    money: z.strictObject({ charged: z.int(), back: z.int() }),
    says: z.string(),
    tone,
  }),
  error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
  /** A restore discarded its state. */
  discarded: z.literal(true).optional(),
  /** The first render. */
  made: z.strictObject({ library_id: z.string(), medium: z.string(), seconds: z.number().nullable() }).nullable(),
  /** Possible actions: a failed delivery to send again, or a waiting run to approve. */
  todo: z.strictObject({ redeliver: z.string().nullable(), run: z.string().nullable() }),
});

export type OrderLine = z.infer<typeof orderLineRecord>;
