import type { FaultOrder, FaultRecord } from './client-records.ts';
import type { ControlCalls } from './control-surface.ts';

/** Rules that make requests fail on purpose. Without an account they strike whoever comes. */
export class FaultClient {
  readonly #calls: ControlCalls;
  readonly #own: { accountId?: string };

  constructor(calls: ControlCalls, accountId?: string) {
    this.#calls = calls;
    this.#own = accountId === undefined ? {} : { accountId };
  }

  add(order: FaultOrder): Promise<FaultRecord> {
    return this.#calls.createFault({ ...order, match: { ...order.match, ...this.#own } });
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
