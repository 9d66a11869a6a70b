/** Schemas for receivers and clients: what the service sends and how it says that something went wrong. */
export { errorSchema, type ServiceError } from './http/error-schema.ts';
export { eventSchema, type ServiceEvent } from './webhooks/event-schemas.ts';
