import type { Transaction } from '../../base/database/transaction.ts';
import type { ActiveLie } from '../faults/lies/active-lie.ts';
import type { Occasion } from '../faults/lies/lie.ts';
import { liedEvent } from '../faults/lies/lied-answer.ts';
import type { Lies } from '../faults/lies/lies.ts';
import { DELIVERY_LIES, type DeliveryFault, type DeliveryLie } from './delivery-fault.ts';
import { readRecentBodies } from './delivery-store.ts';
import { type Envelope, isEventType } from './event-schemas.ts';
import { INBOX_PATH } from './inbox.ts';
import type { Outcome, StoredEvent } from './outbox-store.ts';

/** Where the requests go whose ends are announced, by the subject of the event. */
const PATHS: Record<string, string> = {
  image: '/v1/images/generations',
  video: '/v1/videos/generations',
  music: '/v1/music/generations',
  flow: '/hooks',
};

/** What lies make of one event. */
export interface LiedEvent {
  /** As it is sent and as samples show it. */
  event: StoredEvent;
  /** It is on record, and never sent. */
  isSilent: boolean;
}

interface Sent {
  by: readonly ActiveLie[];
  occasion: Occasion;
}

const MOST_SENT = 10_000;

/** Changes events and deliveries by lies, and counts these once they were answered. */
export class EventLies {
  readonly lies: Lies;
  /** By the id of the event or the delivery. */
  readonly #sent = new Map<string, Sent>();

  constructor(lies: Lies) {
    this.lies = lies;
  }

  /** The event as lies change it; `wants` says whether an endpoint gets events of a type. */
  changed(tx: Transaction, event: StoredEvent, wants: (type: string) => boolean): LiedEvent {
    const truth = JSON.parse(event.body) as Envelope;
    const occasion = occasionOf(event, truth);
    const { jobId, requestId } = event;
    const found = liedEvent(this.lies, truth, { ...occasion, db: tx, jobId, requestId, wants });
    if (!found) return { event, isSilent: false };
    const alteredBy = found.by.map(({ lie: name }) => name).join(', ');
    this.#remember(event.id, found.by, occasion);
    if (found.sent === 'none') {
      tx.onCommit(() => this.#report(event.id));
      return { event: { ...event, alteredBy, truth: event.body }, isSilent: true };
    }
    const { type } = found.sent;
    const lied = { ...event, body: JSON.stringify(found.sent), alteredBy, truth: event.body };
    return { event: isEventType(type) ? { ...lied, type } : lied, isSilent: false };
  }

  /**
   * The faults of the deliveries of an event to an endpoint, of which one is genuine: a lie spoils it, where its receiver
   * is not the emulator's own inbox, and a liberty sends an event of an unknown type before it.
   */
  faultsOf(event: StoredEvent, url: string): (DeliveryFault | null)[] {
    const occasion = occasionOf(event, JSON.parse(event.body));
    const liberty = this.lies.acting('unknown_event', occasion);
    if (liberty) this.#remember(event.id, [liberty], occasion);
    const spoiled = new URL(url).pathname.startsWith(INBOX_PATH) ? null : this.#spoiled(event, occasion);
    return liberty ? ['unknown_type', spoiled] : [spoiled];
  }

  #spoiled(event: StoredEvent, occasion: Occasion): DeliveryLie | null {
    const found = DELIVERY_LIES.map((name) => ({ name, lie: this.lies.acting(name, occasion) })).find(({ lie }) => lie);
    if (!found?.lie) return null;
    this.#remember(event.id, [found.lie], occasion);
    return found.name;
  }

  /** Whether the answer to a delivery may count for a lie. */
  get isAwaited(): boolean {
    return this.#sent.size > 0;
  }

  /** A delivery was answered, or not: a receiver that breaks over what it got has got it all the same. */
  ended(eventId: string, { responseStatus: status, isReached }: Pick<Outcome, 'responseStatus' | 'isReached'>): void {
    if (!isReached) return;
    this.#report(eventId, status !== null && status >= 400 && status < 500);
  }

  /** Events of long ago are forgotten: their deliveries are over. */
  #remember(eventId: string, by: readonly ActiveLie[], occasion: Occasion): void {
    const known = this.#sent.get(eventId)?.by ?? [];
    this.#sent.set(eventId, { by: [...known, ...by], occasion });
    const [oldest = ''] = this.#sent.keys();
    if (this.#sent.size > MOST_SENT) this.#sent.delete(oldest);
  }

  #report(eventId: string, refused = false): void {
    const sent = this.#sent.get(eventId);
    for (const lie of sent?.by ?? []) if (sent) this.lies.tell(lie, sent.occasion, { refused });
  }
}

function occasionOf({ type, accountId }: StoredEvent, { data }: Envelope): Occasion {
  const { model, take } = data as { model?: string; take?: number };
  const [subject = ''] = type.split('.');
  return { site: `event ${type}`, accountId, path: PATHS[subject] ?? '', event: type, model, take };
}

/** Another file that can be read is that of the newest other event. */
export function alteredContent(tx: Transaction, { id: eventId, body, workspaceId, type }: StoredEvent) {
  const urls = readRecentBodies(tx, { workspaceId, type }, 2)
    .filter((other) => other !== body)
    .map((other) => (JSON.parse(other) as Envelope).data.result_url);
  const [url] = urls.filter((each) => typeof each === 'string');
  return { eventId, body: altered(body, url), signed: body };
}

const FORGED_SEED = 1_000_003;

/**
 * The same event with other data under its old proof: of a success another file that can be read, of a failure another
 * reason. A receiver that does not check the proof believes it.
 */
function altered(body: string, otherUrl: string | undefined): string {
  const envelope = JSON.parse(body) as Envelope;
  const { seed, result_url: url, error } = envelope.data;
  const data = {
    ...envelope.data,
    ...(typeof seed === 'number' ? { seed: seed + FORGED_SEED } : {}),
    ...(typeof url === 'string' ? { result_url: otherUrl ?? `${url}&other=1` } : {}),
    ...(typeof error === 'object' ? { error: { ...error, code: 'out_of_memory' } } : {}),
    ...('run' in envelope.data ? { outputs: [] } : {}),
  };
  return JSON.stringify({ ...envelope, data });
}
