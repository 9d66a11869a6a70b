import { callOperation, type Transport } from './call-operation.ts';
import type { AccountDelivery, AccountEvent, AccountJob, EventType, FlowRun, InboxMessage } from './client-records.ts';
import type { AnswerOf, OperationName } from './control-surface.ts';

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
  event(type: EventType, options?: WaitOptions): Promise<AccountEvent> {
    return this.#wait(`event:${type}`, 'showEvent', options);
  }

  /** Until a genuine delivery of an event of that type was attempted and recorded. */
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
    const { for: _, ...found } = await callOperation('waitFor', input, this.#transport);
    return found;
  }
}
