import type { Transaction } from '../../base/database/transaction.ts';
import type { Run } from '../../engine/flows/run.ts';
import { type DeliveryFault, PROOF_FAULTS, type ProofFault } from '../../engine/webhooks/delivery-fault.ts';
import { readRecentBodies } from '../../engine/webhooks/delivery-store.ts';
import type { Outbox, PublishedEvent, SignedContent } from '../../engine/webhooks/event-publisher.ts';
import { type Envelope, isEventType } from '../../engine/webhooks/event-schemas.ts';
import { INBOX_PATH } from '../../engine/webhooks/inbox.ts';
import {
  type Outcome,
  readEndpoints,
  type StoredEndpoint,
  type StoredEvent,
  subscribes,
} from '../../engine/webhooks/outbox-store.ts';
import type { ActiveLie, Occasion } from './lie.ts';
import { insertLied } from './lied-store.ts';
import type { Lies } from './lies.ts';

/** Where the requests go whose ends are announced, by the subject of the event. */
const PATHS: Record<string, string> = {
  image: '/v1/images/generations',
  video: '/v1/videos/generations',
  music: '/v1/music/generations',
  flow: '/hooks',
};

interface Sent {
  by: readonly ActiveLie[];
  occasion: Occasion;
}

const MOST_SENT = 10_000;

/** Changes events and deliveries by lies, and counts these once they were answered. */
export class LyingOutbox implements Outbox {
  readonly #lies: Lies;
  readonly #outbox: Outbox;
  /** By the id of the event or the delivery. */
  readonly #sent = new Map<string, Sent>();

  constructor(lies: Lies, outbox: Outbox) {
    this.#lies = lies;
    this.#outbox = outbox;
  }

  /** The seam: a delivery that lies have spoiled is sent as it is also when they are over. */
  static seam(lies: Lies, outbox: Outbox): Outbox {
    const lying = new LyingOutbox(lies, outbox);
    const content: Outbox['content'] = (...given) => lying.content(...given);
    return lies.switched(
      { ...outbox, content },
      {
        content,
        publish: (...given) => lying.publish(...given),
        deliver: (...given) => lying.deliver(...given),
        attempted: (...given) => lying.attempted(...given),
      },
    );
  }

  publish(tx: Transaction, event: StoredEvent): PublishedEvent {
    const endpoints = readEndpoints(tx, event.workspaceId);
    const wants = (type: string) => isEventType(type) && endpoints.some((each) => subscribes(each, { ...event, type }));
    const truth = JSON.parse(event.body) as Envelope;
    const occasion = occasionOf(event, truth);
    const { jobId, requestId } = event;
    const found = this.#lies.published(truth, { ...occasion, db: tx, jobId, requestId, wants });
    if (!found) return this.#outbox.publish(tx, event);
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
   * Of the deliveries of an event to an endpoint one is genuine: a lie spoils it, where its receiver
   * is not the emulator's own inbox, and a liberty sends an event of an unknown type before it.
   */
  deliver(event: StoredEvent, endpoint: StoredEndpoint, planned: (DeliveryFault | null)[]): (DeliveryFault | null)[] {
    if (planned.length !== 1 || planned[0] !== null) return this.#outbox.deliver(event, endpoint, planned);
    const occasion = occasionOf(event, JSON.parse(event.body));
    const liberty = this.#lies.acting('unknown_event', occasion);
    if (liberty) this.#remember(event.id, [liberty], occasion);
    const spoiled = new URL(endpoint.url).pathname.startsWith(INBOX_PATH) ? null : this.#spoiled(event, occasion);
    return liberty ? ['unknown_type', spoiled] : [spoiled];
  }

  #spoiled(event: StoredEvent, occasion: Occasion): ProofFault | null {
    const found = PROOF_FAULTS.map((name) => ({ name, lie: this.#lies.acting(name, occasion) })).find(({ lie }) => lie);
    if (!found?.lie) return null;
    this.#remember(event.id, [found.lie], occasion);
    return found.name;
  }

  content(tx: Transaction, event: StoredEvent, delivery: { id: string; fault: DeliveryFault }): SignedContent {
    return delivery.fault === 'hook.altered' ? alteredContent(tx, event) : this.#outbox.content(tx, event, delivery);
  }

  /** A receiver that breaks over what it got has got it all the same. */
  attempted(tx: Transaction, eventId: string, outcome: Outcome): void {
    this.#outbox.attempted(tx, eventId, outcome);
    const { responseStatus: status, isReached } = outcome;
    if (!isReached || !this.#sent.has(eventId)) return;
    tx.onCommit(() => this.#report(eventId, status !== null && status >= 400 && status < 500));
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
    for (const lie of sent?.by ?? []) if (sent) this.#lies.countAct(lie, sent.occasion, { refused });
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

/** Under a lie, a run publishes its post as if it were approved. */
export function skipsClick(lies: Lies) {
  return (tx: Transaction, { id, accountId }: Run): boolean => {
    if (!lies.isOn) return false;
    const event = 'flow.run.waiting';
    const occasion = { site: `event ${event}`, accountId, path: '/hooks', event };
    const lie = lies.acting('run.no_wait', occasion);
    if (!lie) return false;
    insertLied(tx, { accountId, lie: lie.lie, ref: id, detail: 'a post was published that was not approved' });
    tx.onCommit(() => lies.countAct(lie, occasion));
    return true;
  };
}
