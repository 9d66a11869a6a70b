import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Transaction } from '../base/database/transaction.ts';
import type { Caller } from './accounts/account-store.ts';
import type { FaultRule } from './faults/fault-rule.ts';
import type { PaidOperation } from './faults/paid-work.ts';
import type { StoredRun } from './flows/flow-store.ts';
import type { ChargeOrder } from './generation/order.ts';
import type { NewJob } from './jobs/job.ts';
import type { WholeAnswer } from './journal/request-schemas.ts';
import type { Charged, Entry } from './ledger/ledger.ts';
import type { ServedFile, ServedFiles } from './library/served-files.ts';
import type { StorageObject } from './storage/object-store.ts';
import type { DeliveryContent, DeliveryFault } from './webhooks/apply-delivery-fault.ts';
import type { DeliveryOutcome, StoredEvent } from './webhooks/delivery-store.ts';
import type { StoredEndpoint } from './webhooks/endpoint-store.ts';

/** Deliberate breaches of the contract. Engine and service ask here, and `control/violations` decides. */
export interface Violations {
  /** Undefined while no violation is set, so that a request then only pays for this check. */
  readonly active: ViolationHooks | undefined;
  /** Replaces the earlier rules. `onApplied` counts a use. */
  setRules(rules: readonly FaultRule[], onApplied: (rule: FaultRule) => void): void;
  /**
   * The content of a delivery with the fault `hook.altered`. `signed` is the signed body. The violation may have ended since
   * the delivery was planned.
   */
  alteredContent(tx: Transaction, event: StoredEvent): DeliveryContent & { signed: string };
}

export interface ViolationHooks {
  readonly charges: ChargeHooks;
  readonly events: EventHooks;
  /** True if a deleted object stays on the CDN. */
  keepsObject(tx: Transaction, object: StorageObject): boolean;
  /** True if a run does not wait for the approval of its post. */
  skipsClick(tx: Transaction, run: StoredRun): boolean;
  /** Returns undefined if the request is already answered. */
  request(request: IncomingRequest, response: ServerResponse, by: AnsweringOperation): RequestHooks | undefined;
  read(read: FileRead): Promise<void>;
}

export interface ChargeHooks {
  /** Undefined for the usual charge: one entry for each price. */
  charge(tx: Transaction, order: ChargeOrder): Entry[] | undefined;
  refund(tx: Transaction, charged: Charged, job?: NewJob): boolean;
  /** The charge of successful work. `take` is that of a song. */
  onSuccess(tx: Transaction, charged: Charged, take?: number | null): void;
  refuse(order: ChargeOrder): Promise<void>;
  /** True if an order that is rejected after its charge stays charged. */
  keepsRefused(tx: Transaction, charges: readonly Entry[]): boolean;
}

export interface EventHooks {
  /** `isSilent`: the event is recorded but not sent. */
  publish(tx: Transaction, event: StoredEvent): { event: StoredEvent; isSilent: boolean };
  /** The faults of the deliveries to an endpoint, or null; `planned` are those of the request. */
  deliver(event: StoredEvent, endpoint: StoredEndpoint, planned: (DeliveryFault | null)[]): (DeliveryFault | null)[];
  attempted(tx: Transaction, eventId: string, outcome: DeliveryOutcome): void;
}

/** An operation, or the CDN for the account of a file. */
export interface AnsweringOperation {
  method: string;
  path: string;
  paid?: PaidOperation | undefined;
  name?: string;
  accountId?: string;
}

export type IncomingRequest = IncomingMessage & {
  method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>>;
};

export interface RequestHooks {
  /** The accepted caller; undefined if the error is returned. */
  letIn(error: unknown): Caller | undefined;
  /** True if the caller may do what the error forbids. */
  permits(error: unknown): boolean;
  /** Records both responses. Undefined if the original stays. */
  answer(original: OriginalAnswer): ChangedAnswer | undefined;
  /** Each event is a JSON text. */
  stream(events: Iterable<string>): Iterable<string>;
  /** True if the stream is split inside of events. */
  readonly cutsStream: boolean;
}

export interface OriginalAnswer {
  status: number;
  contentType: string;
  text?: string;
  bytes?: Buffer;
}

export interface ChangedAnswer {
  status: number;
  headers: Readonly<WholeAnswer['headers']>;
  payload: string | Buffer;
  isChunked: boolean;
}

export interface FileRead {
  request: IncomingMessage;
  response: ServerResponse;
  path: string;
  query: string;
  served: ServedFiles;
  isOf(accountId: string): void;
  /** Also resolves if the client disconnects. A reset does not wait for this read. */
  whenFinal(jobId: string): Promise<void>;
  /** Throws the reason if the file cannot be served. */
  serve(): Promise<void>;
  send(found: ServedFile, body?: Buffer): Promise<void>;
}
