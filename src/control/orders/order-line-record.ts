import { z } from 'zod';
import { TONES } from './order-records.ts';

const tone = z.enum(TONES);
/** One link of the chain: so many of so many, and how it went. Null where it cannot come. */
const link = z.strictObject({ done: z.int(), of: z.int(), tone }).nullable();

/** One order as a row shows it. `began` is the machine's time and `took` the whole order's, both in milliseconds. */
export const orderLineRecord = z.strictObject({
  id: z.string(),
  /** `took` counts on while it is under way. */
  time: z.strictObject({ began: z.number(), took: z.number(), is_open: z.boolean() }),
  /**
   * The beginning of the prompt, empty where none was given, the model, and what else distinguishes one order from another:
   * `5 s`, `2 takes of 60 s`, `stream`.
   */
  asked: z.strictObject({ words: z.string(), model: z.string().nullable(), what: z.string(), reads: z.int() }),
  call: z.strictObject({
    method: z.string(),
    path: z.string(),
    operation: z.string().nullable(),
    fault: z.string().nullable(),
    /** The violations that changed its answer, else those that changed an event of it. */
    violation: z.string().nullable(),
  }),
  whose: z.strictObject({ account_id: z.string().nullable(), key_id: z.string().nullable() }),
  status: z.strictObject({
    answer: z.strictObject({ status: z.int(), tone, cut: z.boolean() }).nullable(),
    work: link,
    events: link,
    deliveries: link,
    money: z.strictObject({ charged: z.int(), back: z.int() }),
    /** In one sentence, and how it all is. */
    says: z.string(),
    tone,
  }),
  error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
  /** It belongs to a future that a restore has discarded. */
  discarded: z.literal(true).optional(),
  /** Of what it made: the first render, what it is, and how long. */
  made: z.strictObject({ library_id: z.string(), medium: z.string(), seconds: z.number().nullable() }).nullable(),
  /** What can be done about it: the refused delivery that can be sent again, the run that waits. */
  todo: z.strictObject({ redeliver: z.string().nullable(), run: z.string().nullable() }),
});

export type OrderLine = z.infer<typeof orderLineRecord>;
