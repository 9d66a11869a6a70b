import { z } from 'zod';
import { errorResponseSchema } from './service/http/error-response.ts';

/** Schemas of events and errors, for receivers and clients. */
export { eventSchema, type ServiceEvent } from './engine/webhooks/event-schemas.ts';

/** The body of a response with an error. Unknown fields are accepted. */
export const errorSchema = z.looseObject({ error: z.looseObject(errorResponseSchema.shape.error.shape) });

export type ServiceError = z.output<typeof errorSchema>;
