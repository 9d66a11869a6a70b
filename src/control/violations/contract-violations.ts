import type { ServerResponse } from 'node:http';
import type { Transaction } from '../../base/database/transaction.ts';
import type { FaultRule } from '../../engine/faults/fault-rule.ts';
import type { StoredRun } from '../../engine/flows/flow-store.ts';
import type { StorageObject } from '../../engine/storage/object-store.ts';
import type {
  AnsweringOperation,
  FileRead,
  IncomingRequest,
  ViolationHooks,
  Violations,
} from '../../engine/violations.ts';
import { ChargeViolations } from './charge-violations.ts';
import { alteredContent, EventViolations } from './event-violations.ts';
import { readViolated } from './file-violations.ts';
import { type RequestParts, RequestViolations } from './request-violations.ts';
import type { Occasion } from './violation.ts';
import { ViolationRegistry } from './violation-registry.ts';

export class ContractViolations implements Violations, ViolationHooks {
  readonly registry: ViolationRegistry;
  readonly charges: ChargeViolations;
  readonly events: EventViolations;
  readonly alteredContent = alteredContent;
  readonly #parts: RequestParts;

  constructor(parts: Omit<RequestParts, 'registry'>) {
    this.registry = new ViolationRegistry(parts.clock);
    this.#parts = { ...parts, registry: this.registry };
    this.charges = new ChargeViolations(this.#parts);
    this.events = new EventViolations(this.registry);
  }

  get active(): ViolationHooks | undefined {
    return this.registry.isOn ? this : undefined;
  }

  keepsObject(tx: Transaction, { id, accountId, contentType }: StorageObject): boolean {
    const path = `/v1/storage/objects/${id}`;
    const occasion = { site: 'DELETE /v1/storage/objects/{id}', accountId, path, method: 'DELETE', contentType };
    return this.#marks(tx, 'delete.kept', occasion, {
      ref: id,
      detail: 'it was reported as deleted and is still served',
    });
  }

  skipsClick(tx: Transaction, { id, accountId }: StoredRun): boolean {
    const event = 'flow.run.waiting';
    const occasion = { site: `event ${event}`, accountId, path: '/hooks', event };
    return this.#marks(tx, 'run.no_wait', occasion, { ref: id, detail: 'a post was published that was not approved' });
  }

  request(request: IncomingRequest, response: ServerResponse, by: AnsweringOperation): RequestViolations | undefined {
    if (!this.registry.isDead) return new RequestViolations(this.#parts, by, request, response);
    response.writeHead(500, { 'content-length': '0' }).end();
    return undefined;
  }

  read(read: FileRead): Promise<void> {
    return readViolated(this.#parts, read);
  }

  setRules(rules: readonly FaultRule[], onApplied: (rule: FaultRule) => void): void {
    this.registry.setRules(rules, onApplied);
  }

  #marks(tx: Transaction, name: string, occasion: Occasion, made: { ref: string; detail: string }): boolean {
    const violation = this.registry.acting(name, occasion);
    if (violation) this.registry.mark(tx, violation, occasion, made);
    return violation !== undefined;
  }
}
