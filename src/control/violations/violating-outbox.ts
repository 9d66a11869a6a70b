import type { Transaction } from '../../base/database/transaction.ts';
import type { Run } from '../../engine/flows/run.ts';
import { type DeliveryFault, PROOF_FAULTS, type ProofFault } from '../../engine/webhooks/delivery-fault.ts';
import { readRecentBodies } from '../../engine/webhooks/delivery-store.ts';
import type { Outbox, PublishedEvent, SignedContent } from '../../engine/webhooks/event-publisher.ts';
import { type Envelope, isEventType } from '../../engine/webhooks/event-schemas.ts';
import { INBOX_PATH } from '../../engine/webhooks/inbox.ts';
import {
  type DeliveryOutcome,
  readEndpoints,
  type StoredEndpoint,
  type StoredEvent,
  subscribes,
} from '../../engine/webhooks/outbox-store.ts';
import type { ActiveViolation, Occasion } from './violation.ts';
import { insertViolationMark } from './violation-store.ts';
import type { Violations } from './violations.ts';

/** Where the requests go whose ends are announced, by the subject of the event. */
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

/** Changes events and deliveries by violations, and counts these once they were answered. */
export class ViolatingOutbox implements Outbox {
  readonly #violations: Violations;
  readonly #outbox: Outbox;
  /** By the id of the event or the delivery. */
  readonly #sent = new Map<string, Sent>();

  constructor(violations: Violations, outbox: Outbox) {
    this.#violations = violations;
    this.#outbox = outbox;
  }

  /** The seam: a delivery that violations have spoiled is sent as it is also when they are over. */
  static seam(violations: Violations, outbox: Outbox): Outbox {
    const violating = new ViolatingOutbox(violations, outbox);
    const content: Outbox['content'] = (...given) => violating.content(...given);
    return violations.switched(
      { ...outbox, content },
      {
        content,
        publish: (...given) => violating.publish(...given),
        deliver: (...given) => violating.deliver(...given),
        attempted: (...given) => violating.attempted(...given),
      },
    );
  }

  publish(tx: Transaction, event: StoredEvent): PublishedEvent {
    const endpoints = readEndpoints(tx, event.workspaceId);
    const wants = (type: string) => isEventType(type) && endpoints.some((each) => subscribes(each, { ...event, type }));
    const original = JSON.parse(event.body) as Envelope;
    const occasion = occasionOf(event, original);
    const { jobId, requestId } = event;
    const found = this.#violations.published(original, { ...occasion, db: tx, jobId, requestId, wants });
    if (!found) return this.#outbox.publish(tx, event);
    const violation = found.by.map(({ violation: name }) => name).join(', ');
    this.#remember(event.id, found.by, occasion);
    if (found.sent === 'none') {
      tx.onCommit(() => this.#report(event.id));
      return { event: { ...event, violation, original: event.body }, isSilent: true };
    }
    const { type } = found.sent;
    const violated = { ...event, body: JSON.stringify(found.sent), violation, original: event.body };
    return { event: isEventType(type) ? { ...violated, type } : violated, isSilent: false };
  }

  /**
   * Of the deliveries of an event to an endpoint one is genuine: a violation spoils it, where its receiver
   * is not the emulator's own inbox, and a compatible change sends an event of an unknown type before it.
   */
  deliver(event: StoredEvent, endpoint: StoredEndpoint, planned: (DeliveryFault | null)[]): (DeliveryFault | null)[] {
    if (planned.length !== 1 || planned[0] !== null) return this.#outbox.deliver(event, endpoint, planned);
    const occasion = occasionOf(event, JSON.parse(event.body));
    const change = this.#violations.acting('unknown_event', occasion);
    if (change) this.#remember(event.id, [change], occasion);
    const spoiled = new URL(endpoint.url).pathname.startsWith(INBOX_PATH) ? null : this.#spoiled(event, occasion);
    return change ? ['unknown_type', spoiled] : [spoiled];
  }

  #spoiled(event: StoredEvent, occasion: Occasion): ProofFault | null {
    const found = PROOF_FAULTS.map((name) => ({ name, violation: this.#violations.acting(name, occasion) })).find(
      ({ violation }) => violation,
    );
    if (!found?.violation) return null;
    this.#remember(event.id, [found.violation], occasion);
    return found.name;
  }

  content(tx: Transaction, event: StoredEvent, delivery: { id: string; fault: DeliveryFault }): SignedContent {
    return delivery.fault === 'hook.altered' ? alteredContent(tx, event) : this.#outbox.content(tx, event, delivery);
  }

  /** A receiver that breaks over what it got has got it all the same. */
  attempted(tx: Transaction, eventId: string, outcome: DeliveryOutcome): void {
    this.#outbox.attempted(tx, eventId, outcome);
    const { responseStatus: status, isReached } = outcome;
    if (!isReached || !this.#sent.has(eventId)) return;
    tx.onCommit(() => this.#report(eventId, status !== null && status >= 400 && status < 500));
  }

  /** Events of long ago are forgotten: their deliveries are over. */
  #remember(eventId: string, by: readonly ActiveViolation[], occasion: Occasion): void {
    const known = this.#sent.get(eventId)?.by ?? [];
    this.#sent.set(eventId, { by: [...known, ...by], occasion });
    const [oldest = ''] = this.#sent.keys();
    if (this.#sent.size > MOST_SENT) this.#sent.delete(oldest);
  }

  #report(eventId: string, refused = false): void {
    const sent = this.#sent.get(eventId);
    for (const violation of sent?.by ?? []) if (sent) this.#violations.countAct(violation, sent.occasion, { refused });
  }
}

function occasionOf({ type, accountId }: StoredEvent, { data }: Envelope): Occasion {
  const { model, take } = data as { model?: string; take?: number };
  const [subject = ''] = type.split('.');
  return { site: `event ${type}`, accountId, path: PATHS[subject] ?? '', event: type, model, take };
}

/** Another file that can be read is that of the newest other event. */
function alteredContent(tx: Transaction, { id: eventId, body, workspaceId, type }: StoredEvent): SignedContent {
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

/** Under a violation, a run publishes its post as if it were approved. */
export function skipsClick(violations: Violations) {
  return (tx: Transaction, { id, accountId }: Run): boolean => {
    if (!violations.isOn) return false;
    const event = 'flow.run.waiting';
    const occasion = { site: `event ${event}`, accountId, path: '/hooks', event };
    const violation = violations.acting('run.no_wait', occasion);
    if (!violation) return false;
    insertViolationMark(tx, {
      accountId,
      violation: violation.violation,
      ref: id,
      detail: 'a post was published that was not approved',
    });
    tx.onCommit(() => violations.countAct(violation, occasion));
    return true;
  };
}
