import type { ServerResponse } from 'node:http';
import type { FaultRules } from '../faults/fault-rules.ts';
import { type Gate, type Guest, OUTSIDE } from '../http/gate.ts';
import type { ServedFiles } from '../library/served-files.ts';

export interface CdnParts {
  served: ServedFiles;
  faults: FaultRules;
  gate: Gate;
}

/** One download. It is done with the state as soon as its file is open: nobody waits for a slow reader. */
export class Reading implements Guest {
  readonly served: ServedFiles;
  readonly faults: FaultRules;
  readonly #gate: Gate;
  readonly response: ServerResponse;
  readonly isOf: (accountId: string) => void;
  #place = OUTSIDE;

  /** `isOf` is told whose file it is. */
  constructor({ served, gate, faults }: CdnParts, response: ServerResponse, isOf: (accountId: string) => void) {
    this.served = served;
    this.faults = faults;
    this.#gate = gate;
    this.response = response;
    this.isOf = isOf;
  }

  enter(era: number): void {
    this.#place = this.#gate.enter(this, era);
  }

  leave(): void {
    this.#gate.leave(this.#place);
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
