import { z } from 'zod';

/**
 * Whether a message is a delivery of the emulator to an endpoint with the URL of this inbox: `verified` is null when it
 * has no signature, or when no endpoint has this URL.
 */
const messageSignature = z.strictObject({
  verified: z.boolean().nullable(),
  /** The endpoint whose secret fits. */
  endpoint_id: z.string().nullable(),
  /** Why it does not verify. */
  reason: z.string().nullable(),
});

export type MessageSignature = z.infer<typeof messageSignature>;

/**
 * The record of a message in the control surface. `body` is null if it is not UTF-8, and `body_base64` null if
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
  signature: messageSignature,
  received_at: z.string(),
  created: z.int(),
});

export type Message = z.infer<typeof message>;

/** An inbox that holds messages; `created` is the time of the newest one, in unix seconds of the emulator's clock. */
export const heldInbox = z.strictObject({ name: z.string(), messages: z.int(), created: z.int() });

export type HeldInbox = z.infer<typeof heldInbox>;
