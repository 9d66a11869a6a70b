import { isoTime } from '../base/clock/clock.ts';
import type { JournalEntry } from '../engine/journal/journal-record.ts';
import { internal, type RequestRecord } from '../engine/journal/request-schemas.ts';
import { deliveriesOf, type EventTrail, eventsOf } from '../engine/webhooks/trail-store.ts';
import type { Context } from '../service/http/context.ts';
import { grouped } from './trace/trace-file.ts';

/** Requests as the control surface shows them: with the events and deliveries that they led to, and of a chat the engine prompt. */
export function requestViews(context: Context, entries: readonly JournalEntry[]): RequestRecord[] {
  const trails = trailsOf(context, entries);
  return entries.map((entry) => viewOf(context, entry, trails));
}

export function requestView(context: Context, entry: JournalEntry): RequestRecord {
  return viewOf(context, entry, trailsOf(context, [entry]));
}

function viewOf(context: Context, entry: JournalEntry, trails: Trails): RequestRecord {
  const events = eventsIn(trails, entry);
  // The entry was read for this view: a copy of each would cost more than all the rest.
  return Object.assign(entry, {
    received_at: isoTime(entry.began),
    ...UNSEEN,
    run_id: entry.run_id ?? null,
    event_ids: events,
    delivery_ids: events.flatMap((id) => trails.deliveries.get(id)?.map((each) => each.id) ?? NONE),
    engine_prompt: promptOf(context, entry),
  });
}

const NONE: string[] = [];

/** What is no part of the view: JSON leaves it out. */
const UNSEEN: { [Name in keyof typeof internal]?: undefined } = Object.fromEntries(
  Object.keys(internal).map((name) => [name, undefined]),
);

function eventsIn({ events }: Trails, { job_ids, run_id, discarded }: JournalEntry): string[] {
  if (events.size === 0 || discarded) return NONE;
  return [...job_ids, run_id ?? ''].flatMap((of) => events.get(of)?.map(({ id }) => id) ?? NONE);
}

/** Events by job or run, and deliveries by event. */
interface Trails {
  events: Map<string, EventTrail[]>;
  deliveries: Map<string, { id: string }[]>;
}

function trailsOf({ database }: Context, entries: readonly JournalEntry[]): Trails {
  const jobIds = entries.flatMap((entry) => entry.job_ids);
  const runIds = entries.flatMap((entry) => entry.run_id ?? []);
  const events = eventsOf(database, { jobIds, runIds });
  const deliveries = deliveriesOf(
    database,
    events.map(({ id }) => id),
  );
  return {
    events: grouped(events, ({ jobId, runId }) => jobId ?? runId ?? ''),
    deliveries: grouped(deliveries, ({ eventId }) => eventId),
  };
}

/** For a chat that was answered: the engine prompt as assembled. */
function promptOf({ enginePromptOf }: Context, entry: JournalEntry) {
  const { operation: name, status, request, engine_prompt: kept } = entry;
  if (kept || name !== 'createChatCompletion' || status !== 200 || request === null) return kept;
  return enginePromptOf(request);
}
