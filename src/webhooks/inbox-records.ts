import { z } from 'zod';

/**
 * Whether a message is a delivery of the emulator's to an endpoint whose URL is this inbox: `verified` is null when it
 * carries no signature, or no endpoint's URL is this inbox.
 */
const signature = z.strictObject({
  verified: z.boolean().nullable(),
  /** The endpoint whose secret fits. */
  endpoint_id: z.string().nullable(),
  /** Why it does not verify. */
  reason: z.string().nullable(),
});

export type MessageSignature = z.infer<typeof signature>;

/**
 * A message as the emulator's own surface shows it. `body` is null where it is not UTF-8, and `body_base64` null where
 * it is; `received_at` is the machine's time, `created` the emulator's, in unix seconds.
 */
export const message = z.strictObject({
  id: z.string(),
  inbox: z.string(),
  method: z.string(),
  path: z.string(),
  headers: z.record(z.string(), z.string()),
  body: z.string().nullable(),
  body_base64: z.string().nullable(),
  bytes: z.int(),
  signature,
  received_at: z.string(),
  created: z.int(),
});

export type Message = z.infer<typeof message>;

/** An inbox that holds something; `created` is when its newest message came, in unix seconds of the emulator's clock. */
export const heldInbox = z.strictObject({ name: z.string(), messages: z.int(), created: z.int() });

export type HeldInbox = z.infer<typeof heldInbox>;
