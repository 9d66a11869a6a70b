import type { ServerResponse } from 'node:http';
import type { FaultRules } from '../faults/fault-rules.ts';
import { type BarrierHolder, OUTSIDE, type StateBarrier } from '../http/state-barrier.ts';
import type { ServedFiles } from '../library/served-files.ts';

export interface CdnParts {
  served: ServedFiles;
  faults: FaultRules;
  barrier: StateBarrier;
}

/** One download. It is done with the state as soon as its file is open: nobody waits for a slow reader. */
export class Reading implements BarrierHolder {
  readonly served: ServedFiles;
  readonly faults: FaultRules;
  readonly #barrier: StateBarrier;
  readonly response: ServerResponse;
  readonly isOf: (accountId: string) => void;
  #place = OUTSIDE;

  /** `isOf` is told whose file it is. */
  constructor({ served, barrier, faults }: CdnParts, response: ServerResponse, isOf: (accountId: string) => void) {
    this.served = served;
    this.faults = faults;
    this.#barrier = barrier;
    this.response = response;
    this.isOf = isOf;
  }

  enter(epoch: number): void {
    this.#place = this.#barrier.enter(this, epoch);
  }

  leave(): void {
    this.#barrier.leave(this.#place);
    this.#place = OUTSIDE;
  }

  begin(): ServerResponse {
    this.leave();
    return this.response;
  }

  /** A render that is made again for it is cut off where it is made. */
  overtake(): void {}

  cut(): void {
    this.response.destroy();
  }
}
