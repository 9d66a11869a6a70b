import type { ControlConnection } from './control-connection.ts';

/** Which requests a rule strikes; what is left out matches all. `path` is a prefix, `contains` stands in a text of the request. */
export interface FaultMatch {
  path?: string;
  model?: string;
  contains?: string;
  account_id?: string;
}

/** What a rule does. Times are milliseconds of real time, events of a stream count from 1. */
export type FaultEffect =
  | { status: number; code?: string; retry_after?: number }
  | { delay_ms: number }
  | { drop: true }
  | { fail_job: string }
  | {
      stream: {
        ttft_ms?: number;
        interval_ms?: number;
        cut_after?: number;
        malformed_at?: number;
        omit_done?: boolean;
      };
    }
  | { webhook: 'late' | 'duplicate' | 'reorder' | 'bad_signature' | 'old_timestamp' | 'drop' }
  | { crash: 'after_charge' | 'after_work' | 'after_settle' | 'before_delivery' };

/** A rule as it is made: it strikes once unless `times` says otherwise (0: until it is deleted). */
export interface FaultOrder {
  match?: FaultMatch;
  times?: number;
  probability?: number;
  ttl_seconds?: number;
  effect: FaultEffect;
}

/** A rule as it stands. */
export interface FaultRecord extends FaultOrder {
  id: string;
  /** How often it has struck. */
  strikes: number;
}

/** Rules that make requests fail on purpose. Without an account they strike whoever comes. */
export class FaultClient {
  readonly #control: ControlConnection;
  readonly #accountId: string | undefined;

  constructor(control: ControlConnection, accountId?: string) {
    this.#control = control;
    this.#accountId = accountId;
  }

  add(order: FaultOrder): Promise<FaultRecord> {
    const account = this.#accountId === undefined ? {} : { account_id: this.#accountId };
    return this.#control.post('/faults', { ...order, match: { ...order.match, ...account } });
  }

  list(): Promise<FaultRecord[]> {
    return this.#control.list('/faults', { account_id: this.#accountId });
  }

  remove(id: string): Promise<void> {
    return this.#control.delete(`/faults/${id}`);
  }

  clear(): Promise<void> {
    return this.#control.delete('/faults', { account_id: this.#accountId });
  }
}
