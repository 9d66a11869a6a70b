import type { Transaction } from '../../base/database/transaction.ts';
import type { EventHooks } from '../../engine/violations.ts';
import {
  type DeliveryContent,
  type DeliveryFault,
  SIGNATURE_FAULTS,
} from '../../engine/webhooks/apply-delivery-fault.ts';
import type { DeliveryOutcome, StoredEvent } from '../../engine/webhooks/delivery-store.ts';
import { readEndpoints, type StoredEndpoint, subscribes } from '../../engine/webhooks/endpoint-store.ts';
import { type Envelope, isEventType } from '../../engine/webhooks/event-schemas.ts';
import { INBOX_PATH } from '../../engine/webhooks/inbox.ts';
import { readRecentBodies } from '../../engine/webhooks/webhook-list-store.ts';
import type { ActiveViolation, Occasion } from './violation.ts';
import { namesOf, type ViolationRegistry } from './violation-registry.ts';

const PATHS: Record<string, string> = {
  image: '/v1/images/generations',
  video: '/v1/videos/generations',
  music: '/v1/music/generations',
  flow: '/hooks',
};

interface Sent {
  by: readonly ActiveViolation[];
  occasion: Occasion;
}

const MOST_SENT = 10_000;

export class EventViolations implements EventHooks {
  readonly #registry: ViolationRegistry;
  readonly #sent = new Map<string, Sent>();

  constructor(registry: ViolationRegistry) {
    this.#registry = registry;
  }

  publish(tx: Transaction, event: StoredEvent): { event: StoredEvent; isSilent: boolean } {
    const endpoints = readEndpoints(tx, event.workspaceId);
    const wants = (type: string) => isEventType(type) && endpoints.some((each) => subscribes(each, { ...event, type }));
    const original = JSON.parse(event.body) as Envelope;
    const occasion = occasionOf(event, original);
    const { jobId, requestId } = event;
    const changed = this.#registry.changeEvent(original, { ...occasion, db: tx, jobId, requestId, wants });
    if (!changed) return { event, isSilent: false };
    const { sent, by } = changed;
    const recorded = { ...event, violation: namesOf(by), original: event.body };
    this.#remember(event.id, by, occasion);
    if (sent === 'none') {
      tx.onCommit(() => this.#report(event.id));
      return { event: recorded, isSilent: true };
    }
    const type = isEventType(sent.type) ? sent.type : event.type;
    return { event: { ...recorded, type, body: JSON.stringify(sent) }, isSilent: false };
  }

  /**
   * A violation changes one genuine delivery per endpoint, except to a built-in inbox. A compatible change sends an event
   * of an unknown type first.
   */
  deliver(event: StoredEvent, endpoint: StoredEndpoint, planned: (DeliveryFault | null)[]): (DeliveryFault | null)[] {
    if (planned.length !== 1 || planned[0] !== null) return planned;
    const occasion = occasionOf(event, JSON.parse(event.body));
    const isUnknown = this.#acts('unknown_event', event, occasion);
    const isInbox = new URL(endpoint.url).pathname.startsWith(INBOX_PATH);
    const spoiled = (!isInbox && SIGNATURE_FAULTS.find((name) => this.#acts(name, event, occasion))) || null;
    return isUnknown ? ['unknown_type', spoiled] : [spoiled];
  }

  #acts(name: string, event: StoredEvent, occasion: Occasion): boolean {
    const violation = this.#registry.acting(name, occasion);
    if (violation) this.#remember(event.id, [violation], occasion);
    return violation !== undefined;
  }

  /** A receiver that fails on the event has still received it. */
  attempted(tx: Transaction, eventId: string, { responseStatus: status, isReached }: DeliveryOutcome): void {
    if (!isReached || !this.#sent.has(eventId)) return;
    tx.onCommit(() => this.#report(eventId, status !== null && status >= 400 && status < 500));
  }

  #remember(eventId: string, by: readonly ActiveViolation[], occasion: Occasion): void {
    const known = this.#sent.get(eventId)?.by ?? [];
    this.#sent.set(eventId, { by: [...known, ...by], occasion });
    const [oldest = ''] = this.#sent.keys();
    if (this.#sent.size > MOST_SENT) this.#sent.delete(oldest);
  }

  #report(eventId: string, isRefused = false): void {
    const { by = [], occasion } = this.#sent.get(eventId) ?? {};
    for (const violation of by) if (occasion) this.#registry.countAct(violation, occasion, isRefused);
  }
}

function occasionOf({ type, accountId }: StoredEvent, { data }: Envelope): Occasion {
  const { model, take } = data as { model?: string; take?: number };
  const [subject = ''] = type.split('.');
  return { site: `event ${type}`, accountId, path: PATHS[subject] ?? '', event: type, model, take };
}

/** The other file is that of the newest other event. */
export function alteredContent(
  tx: Transaction,
  { id: eventId, body, workspaceId, type }: StoredEvent,
): DeliveryContent & { signed: string } {
  const urls = readRecentBodies(tx, { workspaceId, type }, 2)
    .filter((other) => other !== body)
    .map((other) => (JSON.parse(other) as Envelope).data.result_url);
  const [url] = urls.filter((each) => typeof each === 'string');
  return { eventId, body: altered(body, url), signed: body };
}

const FORGED_SEED = 1_000_003;

/**
 * Other data under the same signature: another readable file for a success, another reason for a failure. Only a receiver
 * that does not verify accepts it.
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
