import { createOperationCaller, type OperationName, type Transport } from '../control/call-operation.ts';
import type {
  AccountDelivery,
  AccountEvent,
  AccountJob,
  ClockReading,
  ControlMethods,
  EventType,
  FaultRuleRecord,
  FaultRuleSettings,
  FlowRun,
  InboxMessage,
  OperationAnswer,
} from './client-records.ts';

export interface Duration {
  days?: number;
  hours?: number;
  minutes?: number;
  seconds?: number;
}

/** Throws `TypeError` for an unknown part: if it were ignored, the clock would not move [I233]. */
export function durationSeconds({ days = 0, hours = 0, minutes = 0, seconds = 0, ...rest }: Duration): number {
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) {
    throw new TypeError(`${unknown} is not a part of a duration; use days, hours, minutes or seconds.`);
  }
  return ((days * 24 + hours) * 60 + minutes) * 60 + seconds;
}

export class ClockClient {
  readonly #calls: ControlMethods;

  constructor(calls: ControlMethods) {
    this.#calls = calls;
  }

  read(): Promise<ClockReading> {
    return this.#calls.getClock();
  }

  advance(by: Duration): Promise<ClockReading> {
    return this.#calls.advanceClock({ seconds: durationSeconds(by) });
  }

  /** A frozen clock stays frozen. */
  set(now: Date | string): Promise<ClockReading> {
    return this.#calls.setClock({ now: new Date(now).toISOString() });
  }

  /** Freezes the clock immediately. If `now` is given, sets the clock to that time first. */
  freeze(now?: Date | string): Promise<ClockReading> {
    const at = now === undefined ? {} : { now: new Date(now).toISOString() };
    return this.#calls.setClock({ ...at, frozen: true });
  }

  unfreeze(): Promise<ClockReading> {
    return this.#calls.setClock({ frozen: false });
  }
}

/** The fault rules of one account; without `accountId`, all fault rules. */
export class FaultClient {
  readonly #calls: ControlMethods;
  readonly #own: { accountId?: string };

  constructor(calls: ControlMethods, accountId?: string) {
    this.#calls = calls;
    this.#own = accountId === undefined ? {} : { accountId };
  }

  add(order: FaultRuleSettings): Promise<FaultRuleRecord> {
    return this.#calls.createFault({ ...order, match: { ...order.match, ...this.#own } } as FaultRuleSettings);
  }

  list(): Promise<FaultRuleRecord[]> {
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
  control: ControlMethods;
  waitFor: WaitClient;
  url: string;
}

/** A built-in webhook receiver. Use its `url` for an endpoint. */
export class InboxClient {
  readonly name: string;
  readonly url: string;
  readonly #calls: ControlMethods;
  readonly #waits: WaitClient;
  readonly #last = new Map<boolean, string>();
  /** Waits run one after another, so that two concurrent waits return two messages. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor({ control, waitFor, url }: InboxParts, name: string) {
    this.#calls = control;
    this.#waits = waitFor;
    this.name = name;
    this.url = `${url}/_emulator/inbox/${encodeURIComponent(name)}`;
  }

  async messages(): Promise<InboxMessage[]> {
    return (await this.#calls.listMessages({ name: this.name })).reverse();
  }

  /**
   * Returns the genuine message after the last returned one, or the first one after `after`. With `genuine: false`, any
   * message counts, even if a genuine wait has returned it. Rejects with `timeout` if none arrives in time.
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

export class SnapshotClient {
  readonly name: string;
  readonly #calls: ControlMethods;

  constructor(calls: ControlMethods, name: string) {
    this.#calls = calls;
    this.name = name;
  }

  async restore(): Promise<void> {
    await this.#calls.restoreSnapshot({ name: this.name });
  }

  remove(): Promise<void> {
    return this.#calls.removeSnapshot({ name: this.name });
  }
}

export interface WaitOptions {
  /** Seconds of real time; 10 by default. */
  timeout?: number;
  accountId?: string;
  account_id?: string;
  /** The id of an event, a delivery or a message. Only later ones count. */
  after?: string;
}

export interface SignedWaitOptions extends WaitOptions {
  /**
   * True by default: only messages and deliveries with a valid, recent signature count, and only deliveries of a known
   * event type that a receiver accepted. Duplicates are genuine.
   */
  genuine?: boolean;
}

export type MessageWaitOptions = Omit<SignedWaitOptions, 'accountId' | 'account_id'>;

/** Waits until a condition is true. Each method rejects with `timeout` (408) if its time ends first. */
export class WaitClient {
  readonly #transport: Transport;
  readonly #accountId: string | undefined;

  constructor(transport: Transport, accountId?: string) {
    this.#transport = transport;
    this.#accountId = accountId;
  }

  job(id: string, options?: WaitOptions): Promise<AccountJob> {
    return this.#wait(`job:${id}`, 'getJob', options);
  }

  run(id: string, options?: WaitOptions): Promise<FlowRun> {
    return this.#wait(`run:${id}`, 'showRun', options);
  }

  async event(type: EventType, options?: WaitOptions): Promise<AccountEvent> {
    const { toCamelCaseItem } = await import('./camel-calls.ts');
    return toCamelCaseItem('listEvents', await this.#ask(`event:${type}`, options));
  }

  /**
   * Waits for a genuine delivery that the receiver accepted; with `genuine: false`, for any delivery that has ended,
   * accepted or failed.
   */
  delivery(type: EventType, options?: SignedWaitOptions): Promise<AccountDelivery> {
    return this.#wait(`delivery:${type}`, 'redeliver', { genuine: true, ...options });
  }

  async message(inbox: string, options?: MessageWaitOptions): Promise<InboxMessage> {
    const found = await this.#ask(`inbox:${inbox}`, { genuine: true, ...options });
    const { toCamelCaseItem } = await import('./camel-calls.ts');
    return toCamelCaseItem('listMessages', found);
  }

  /** Waits until no job, run or delivery is in progress, and no request or response is held. */
  async idle(options?: WaitOptions): Promise<void> {
    await this.#wait('idle', 'waitFor', options);
  }

  async #wait<Name extends OperationName>(
    what: string,
    shownBy: Name,
    options?: SignedWaitOptions,
  ): Promise<OperationAnswer<Name>> {
    const { toCamelCaseResponse } = await import('./camel-calls.ts');
    return toCamelCaseResponse(shownBy, await this.#ask(what, options));
  }

  async #ask(
    what: string,
    { timeout, after, genuine, account_id, accountId = account_id ?? this.#accountId }: SignedWaitOptions = {},
  ): Promise<object> {
    const signed = genuine === undefined ? undefined : (`${genuine}` as const);
    const input = { for: what, timeout, after, genuine: signed, account_id: accountId };
    const { for: _, ...found } = await createOperationCaller(this.#transport)('waitFor', input);
    return found;
  }
}
