import { unixSeconds } from '../clock/clock.ts';
import type { Reader } from '../database/transaction.ts';
import { invalid } from '../errors.ts';
import { requireFlow } from './endpoint-book.ts';
import { readRecentBodies } from './event-store.ts';
import { type Envelope, type EventType, isFlowEvent } from './event-types.ts';
import { exampleData } from './example-data.ts';

/** How many real events are shown. */
const MOST_SAMPLES = 3;

export interface SamplesOptions {
  workspaceId: string;
  type: EventType;
  /** For `flow.run.*` only. */
  flowId?: string;
  /** The address on which the URLs of an example are built, without a slash at its end. */
  baseUrl: string;
}

/**
 * Up to 3 real envelopes, newest first and as an endpoint got them, or one made-up example.
 * Throws `invalid_request` for a flow with another type of event, `flow_not_found` for another workspace's.
 */
export function readSamples(db: Reader, now: number, options: SamplesOptions): Envelope[] {
  const { workspaceId, type, flowId, baseUrl } = options;
  if (flowId !== undefined && !isFlowEvent(type)) throw flowWithoutFlowEvent(type);
  const flow = flowId === undefined ? undefined : requireFlow(db, workspaceId, flowId);
  const bodies = readRecentBodies(db, { workspaceId, type, flowId }, MOST_SAMPLES);
  if (bodies.length > 0) return bodies.map((body) => JSON.parse(body));
  const data = exampleData({ type, baseUrl, now, flow });
  const id = `evt_sample_${type.replaceAll('.', '_')}`;
  return [{ id, type, created: unixSeconds(now), data }];
}

function flowWithoutFlowEvent(type: EventType): Error {
  return invalid(
    'flow_id',
    `flow_id goes with flow.run.* events only, and event is ${type}. Leave flow_id out, or ask for a flow.run.* event.`,
  );
}
