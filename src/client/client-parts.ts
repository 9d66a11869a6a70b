import { type OperationName, operationsOver, type Transport } from '../control/call-operation.ts';
import type {
  AccountDelivery,
  AccountEvent,
  AccountJob,
  AnswerOf,
  ClockReading,
  ControlCalls,
  EventType,
  FaultOrder,
  FaultRecord,
  FlowRun,
  InboxMessage,
} from './client-records.ts';

/** A span of time; the parts are added up. */
export interface Duration {
  days?: number;
  hours?: number;
  minutes?: number;
  seconds?: number;
}

/** The span in seconds. Throws `TypeError` for an unknown part, which would leave the clock where it is [I233]. */
export function secondsOf({ days = 0, hours = 0, minutes = 0, seconds = 0, ...rest }: Duration): number {
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) {
    throw new TypeError(`${unknown} is not a part of a duration; use days, hours, minutes or seconds.`);
  }
  return ((days * 24 + hours) * 60 + minutes) * 60 + seconds;
}

/** The emulator's clock. Every move resolves when all that thereby fell due has settled. */
export class ClockClient {
  readonly #calls: ControlCalls;

  constructor(calls: ControlCalls) {
    this.#calls = calls;
  }

  read(): Promise<ClockReading> {
    return this.#calls.getClock();
  }

  advance(by: Duration): Promise<ClockReading> {
    return this.#calls.advanceClock({ seconds: secondsOf(by) });
  }

  /** Sets the time; it runs on, or stays frozen, as before. */
  set(now: Date | string): Promise<ClockReading> {
    return this.#calls.setClock({ now: new Date(now).toISOString() });
  }

  /** Stops the clock, at its time or at `now`. */
  freeze(now?: Date | string): Promise<ClockReading> {
    const at = now === undefined ? {} : { now: new Date(now).toISOString() };
    return this.#calls.setClock({ ...at, frozen: true });
  }

  unfreeze(): Promise<ClockReading> {
    return this.#calls.setClock({ frozen: false });
  }
}

/** Rules that make requests fail on purpose. Without an account they apply to the requests of every account. */
export class FaultClient {
  readonly #calls: ControlCalls;
  readonly #own: { accountId?: string };

  constructor(calls: ControlCalls, accountId?: string) {
    this.#calls = calls;
    this.#own = accountId === undefined ? {} : { accountId };
  }

  add(order: FaultOrder): Promise<FaultRecord> {
    return this.#calls.createFault({ ...order, match: { ...order.match, ...this.#own } } as FaultOrder);
  }

  list(): Promise<FaultRecord[]> {
    return this.#calls.listFaults(this.#own);
  }

  remove(id: string): Promise<void> {
    return this.#calls.deleteFault({ id });
  }

  clear(): Promise<void> {
    return this.#calls.deleteFaults(this.#own);
  }
}

interface InboxParts {
  control: ControlCalls;
  waitFor: WaitClient;
  /** The emulator's. */
  url: string;
}

/** A built-in receiver: give its `url` to a webhook endpoint, and read what came. */
export class InboxClient {
  readonly name: string;
  /** The URL that deliveries are sent to. */
  readonly url: string;
  readonly #calls: ControlCalls;
  readonly #waits: WaitClient;
  /** The id of the message that was returned last, among genuine ones and among all. */
  readonly #last = new Map<boolean, string>();
  /** Waits go one after another: two at once return two messages. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor({ control, waitFor, url }: InboxParts, name: string) {
    this.#calls = control;
    this.#waits = waitFor;
    this.name = name;
    this.url = `${url}/_emulator/inbox/${encodeURIComponent(name)}`;
  }

  /** What came, oldest first. */
  async messages(): Promise<InboxMessage[]> {
    return (await this.#calls.listMessages({ name: this.name })).reverse();
  }

  /**
   * The next genuine message that no call has returned yet, at once if it is there already. With `after` it is the first
   * one after that message. Rejects with `timeout` if none comes in time.
   */
  wait(options: MessageWaitOptions = {}): Promise<InboxMessage> {
    const { genuine = true } = options;
    const next = this.#turn.then(async () => {
      const message = await this.#waits.message(this.name, { after: this.#last.get(genuine), ...options });
      this.#last.set(genuine, message.id);
      return message;
    });
    this.#turn = next.catch(() => undefined);
    return next;
  }
}

/** What was saved under a name: the whole state, files and clock included. */
export class SnapshotClient {
  readonly name: string;
  readonly #calls: ControlCalls;

  constructor(calls: ControlCalls, name: string) {
    this.#calls = calls;
    this.name = name;
  }

  /** Goes back to it; may be called any number of times. */
  async restore(): Promise<void> {
    await this.#calls.restoreSnapshot({ name: this.name });
  }

  remove(): Promise<void> {
    return this.#calls.removeSnapshot({ name: this.name });
  }
}

/** How long to wait, and what does not count. */
export interface WaitOptions {
  /** Seconds of real time; 10 by default. */
  timeout?: number;
  /** Narrows events, deliveries and idleness to one account. */
  accountId?: string;
  /** The same, as the HTTP reference names it. */
  account_id?: string;
  /** The id of an event, a delivery or a message: what came up to it does not count. */
  after?: string;
}

/** As `WaitOptions`, of what is signed. */
export interface SignedWaitOptions extends WaitOptions {
  /**
   * By default only what is genuine: signed with the endpoint's secret, and not too long ago. `false` takes forged
   * and otherwise faulty ones too. A duplicate of a genuine one is genuine.
   */
  genuine?: boolean;
}

/** Of a message: an inbox belongs to no account. */
export type MessageWaitOptions = Omit<SignedWaitOptions, 'accountId' | 'account_id'>;

/** Waits without polling: each resolves the moment its condition holds, and rejects with `timeout` (408) when it does not in time. */
export class WaitClient {
  readonly #transport: Transport;
  readonly #accountId: string | undefined;

  constructor(transport: Transport, accountId?: string) {
    this.#transport = transport;
    this.#accountId = accountId;
  }

  /** Until a job is final. */
  job(id: string, options?: WaitOptions): Promise<AccountJob> {
    return this.#wait(`job:${id}`, 'getJob', options);
  }

  /** Until a flow's run is final. */
  run(id: string, options?: WaitOptions): Promise<FlowRun> {
    return this.#wait(`run:${id}`, 'showRun', options);
  }

  /** Until an event of that type is on record. */
  async event(type: EventType, options?: WaitOptions): Promise<AccountEvent> {
    const { asItemOf } = await import('./camel-calls.ts');
    return asItemOf('listEvents', await this.#ask(`event:${type}`, options));
  }

  /** Until a genuine delivery of an event of that type was delivered; with `genuine: false`, until any was attempted. */
  delivery(type: EventType, options?: SignedWaitOptions): Promise<AccountDelivery> {
    return this.#wait(`delivery:${type}`, 'redeliver', { genuine: true, ...options });
  }

  /** Until a built-in receiver of that name holds a genuine message. */
  async message(inbox: string, options?: MessageWaitOptions): Promise<InboxMessage> {
    const found = await this.#ask(`inbox:${inbox}`, { genuine: true, ...options });
    const { asItemOf } = await import('./camel-calls.ts');
    return asItemOf('listMessages', found);
  }

  /** Until nothing is queued, rendered, run or delivered. */
  async idle(options?: WaitOptions): Promise<void> {
    await this.#wait('idle', 'waitFor', options);
  }

  /** The record that was waited for, as the operation `shownBy` answers it. */
  async #wait<Name extends OperationName>(
    what: string,
    shownBy: Name,
    options?: SignedWaitOptions,
  ): Promise<AnswerOf<Name>> {
    const { asAnswerOf } = await import('./camel-calls.ts');
    return asAnswerOf(shownBy, await this.#ask(what, options));
  }

  async #ask(
    what: string,
    { timeout, after, genuine, account_id, accountId = account_id ?? this.#accountId }: SignedWaitOptions = {},
  ): Promise<object> {
    const signed = genuine === undefined ? undefined : (`${genuine}` as const);
    const input = { for: what, timeout, after, genuine: signed, account_id: accountId };
    const { for: _, ...found } = await operationsOver(this.#transport)('waitFor', input);
    return found;
  }
}
