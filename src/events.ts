import { z } from 'zod';
import { errorSchema as sentError } from './service/http/error-printer.ts';

/** Schemas for receivers and clients: what the service sends and how it says that something went wrong. */
export { eventSchema, type ServiceEvent } from './engine/webhooks/event-schemas.ts';

/** The body of every answer from 400 on; fields that there are not yet pass. */
export const errorSchema = z.looseObject({ error: z.looseObject(sentError.shape.error.shape) });

export type ServiceError = z.output<typeof errorSchema>;
