import type { ControlConnection } from './control-connection.ts';

/** How long to wait, and for what not. */
export interface WaitOptions {
  /** Seconds of real time: 10 unless told otherwise. */
  timeout?: number;
  /** Narrows events, deliveries and idleness to one account. */
  accountId?: string;
  /** The id of an event or delivery: what came up to it does not count. */
  after?: string;
}

/** A record as the control surface answers it. */
export type ControlRecord = Record<string, unknown> & { id: string };

/** Waits without polling: each resolves the moment the thing is so, and rejects with `timeout` (408) when it is not in time. */
export class WaitClient {
  readonly #control: ControlConnection;
  readonly #accountId: string | undefined;

  constructor(control: ControlConnection, accountId?: string) {
    this.#control = control;
    this.#accountId = accountId;
  }

  /** Until a job is final. */
  job(id: string, options: WaitOptions = {}): Promise<ControlRecord> {
    return this.#wait(`job:${id}`, options);
  }

  /** Until a flow's run is final. */
  run(id: string, options: WaitOptions = {}): Promise<ControlRecord> {
    return this.#wait(`run:${id}`, options);
  }

  /** Until an event of that type is on record. */
  event(type: string, options: WaitOptions = {}): Promise<ControlRecord> {
    return this.#wait(`event:${type}`, options);
  }

  /** Until a delivery of an event of that type was attempted and recorded. */
  delivery(type: string, options: WaitOptions = {}): Promise<ControlRecord> {
    return this.#wait(`delivery:${type}`, options);
  }

  /** Until nothing is queued, rendered, run or delivered. */
  async idle(options: WaitOptions = {}): Promise<void> {
    await this.#wait('idle', options);
  }

  #wait(what: string, { timeout, after, accountId = this.#accountId }: WaitOptions): Promise<ControlRecord> {
    return this.#control.get('/wait', { for: what, timeout, after, account_id: accountId });
  }
}
