import type { ServerResponse } from 'node:http';
import type { Transaction } from '../../base/database/transaction.ts';
import type { FaultRule } from '../../engine/faults/fault-rule.ts';
import type { StoredRun } from '../../engine/flows/run.ts';
import type { StorageObject } from '../../engine/storage/object-store.ts';
import type { AnsweringOperation, FileRead, IncomingRequest, Violations } from '../../engine/violations.ts';
import { ChargeViolations } from './charge-violations.ts';
import { DeliveryViolations } from './event-violations.ts';
import { readViolated } from './file-violations.ts';
import { ChangedRequest, type RequestParts } from './request-violations.ts';
import type { Occasion } from './violation.ts';
import { ViolationBook } from './violation-book.ts';

export class ContractViolations implements Violations {
  readonly book: ViolationBook;
  readonly money: ChargeViolations;
  readonly events: DeliveryViolations;
  readonly #parts: RequestParts;

  constructor(parts: Omit<RequestParts, 'book'>) {
    this.book = new ViolationBook(parts.clock);
    this.#parts = { ...parts, book: this.book };
    this.money = new ChargeViolations(this.#parts);
    this.events = new DeliveryViolations(this.book);
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

  request(request: IncomingRequest, response: ServerResponse, by: AnsweringOperation): ChangedRequest | undefined {
    if (!this.book.isDead) return new ChangedRequest(this.#parts, by, request, response);
    response.writeHead(500, { 'content-length': '0' }).end();
    return undefined;
  }

  read(read: FileRead): Promise<void> {
    return readViolated(this.#parts, read);
  }

  setRules(rules: readonly FaultRule[], onApplied: (rule: FaultRule) => void): void {
    this.book.setRules(rules, onApplied);
  }

  #marks(tx: Transaction, name: string, occasion: Occasion, made: { ref: string; detail: string }): boolean {
    const violation = this.book.acting(name, occasion);
    if (violation) this.book.mark(tx, violation, occasion, made);
    return violation !== undefined;
  }
}
