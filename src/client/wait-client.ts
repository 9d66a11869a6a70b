import type { AccountDelivery, AccountEvent, AccountJob, EventType, FlowRun } from './client-records.ts';
import type { ControlConnection } from './control-connection.ts';
import type { AnswerOf, OperationName } from './control-surface.ts';

/** How long to wait, and for what not. */
export interface WaitOptions {
  /** Seconds of real time: 10 unless told otherwise. */
  timeout?: number;
  /** Narrows events, deliveries and idleness to one account. */
  accountId?: string;
  /** The id of an event, a delivery or a message: what came up to it does not count. */
  after?: string;
}

/** Waits without polling: each resolves the moment the thing is so, and rejects with `timeout` (408) when it is not in time. */
export class WaitClient {
  readonly #control: ControlConnection;
  readonly #accountId: string | undefined;

  constructor(control: ControlConnection, accountId?: string) {
    this.#control = control;
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

  /** Until a delivery of an event of that type was attempted and recorded. */
  delivery(type: EventType, options?: WaitOptions): Promise<AccountDelivery> {
    return this.#wait(`delivery:${type}`, 'redeliver', options);
  }

  /** Until nothing is queued, rendered, run or delivered. */
  async idle(options?: WaitOptions): Promise<void> {
    await this.#wait('idle', 'waitFor', options);
  }

  /** What it waits for is answered as the operation answers it that shows such a record. */
  async #wait<Name extends OperationName>(
    what: string,
    shownBy: Name,
    { timeout, after, accountId = this.#accountId }: WaitOptions = {},
  ): Promise<AnswerOf<Name>> {
    const { asAnswerOf } = await import('./carry-call.ts');
    const { for: _, ...found } = await this.#control.get<{ for: string }>('/wait', {
      for: what,
      timeout,
      after,
      account_id: accountId,
    });
    return asAnswerOf(shownBy, found);
  }
}
