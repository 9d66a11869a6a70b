import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Transaction } from '../base/database/transaction.ts';
import type { Caller } from './accounts/account-store.ts';
import type { FaultRule } from './faults/fault-rule.ts';
import type { PaidOperation } from './faults/paid-work.ts';
import type { StoredRun } from './flows/run.ts';
import type { Charged, ChargeOrder } from './generation/order.ts';
import type { NewJob } from './jobs/job.ts';
import type { WholeAnswer } from './journal/request-schemas.ts';
import type { Entry } from './ledger/ledger.ts';
import type { ServedFile, ServedFiles } from './library/served-files.ts';
import type { StorageObject } from './storage/file-store.ts';
import type { DeliveryContent, DeliveryFault } from './webhooks/delivery-fault.ts';
import type { DeliveryOutcome, StoredEndpoint, StoredEvent } from './webhooks/outbox-store.ts';

/**
 * Where the emulator can break its contract on purpose, for tests that should notice. Engine and service ask here; what
 * is broken, and how, is decided in `control/violations`. Ask only if `isOn`, except where a comment says otherwise.
 */
export interface Violations {
  /** Whether any violation may act: without one, a request pays for this check alone. */
  readonly isOn: boolean;
  readonly money: MoneyViolations;
  readonly events: EventViolations;
  /** Whether an object that is deleted stays on the CDN. */
  keepsObject(tx: Transaction, object: StorageObject): boolean;
  /** Whether a run goes on without the click that its post waits for. */
  skipsClick(tx: Transaction, run: StoredRun): boolean;
  /** Before the work of a request: how it is changed. Returns undefined if the request has been answered already. */
  request(request: IncomingRequest, response: ServerResponse, by: AnsweringOperation): RequestViolations | undefined;
  /** Reads a file of the CDN: as it is, or changed. */
  read(read: FileRead): Promise<void>;
  /** The fault rules that are violations, in place of those before; asked for at any time. `onApplied` counts a use. */
  setRules(rules: readonly FaultRule[], onApplied: (rule: FaultRule) => void): void;
}

export interface MoneyViolations {
  /** The entries written for an order; undefined if it is charged as usual: one entry for each price. */
  charge(tx: Transaction, bill: ChargeOrder): Entry[] | undefined;
  refund(tx: Transaction, charged: Charged, job?: NewJob): boolean;
  /** Work has succeeded, which keeps its charge; `take` is that of a song. */
  keep(tx: Transaction, charged: Charged, take?: number | null): void;
  refuse(bill: ChargeOrder): Promise<void>;
  /** Whether an order that is refused after its charge stays charged. */
  keepsRefused(tx: Transaction, charges: readonly Entry[]): boolean;
}

/** Changes of events and deliveries to the endpoints of a workspace. */
export interface EventViolations {
  /** The event as it is recorded and sent, and whether it is recorded only. */
  publish(tx: Transaction, event: StoredEvent): { event: StoredEvent; isSilent: boolean };
  /** The faults of the deliveries of an event to an endpoint, null for none; `planned` are those of its request. */
  deliver(event: StoredEvent, endpoint: StoredEndpoint, planned: (DeliveryFault | null)[]): (DeliveryFault | null)[];
  /** What a delivery with the fault `hook.altered` sends, asked for at any time; `signed` is the body that is signed. */
  altered(tx: Transaction, event: StoredEvent): DeliveryContent & { signed: string };
  attempted(tx: Transaction, eventId: string, outcome: DeliveryOutcome): void;
}

/** What answers a request: an operation, or the CDN for the account of a file. */
export interface AnsweringOperation {
  method: string;
  path: string;
  paid?: PaidOperation | undefined;
  name?: string;
  accountId?: string;
}

/** A request as it is when its work begins. */
export type IncomingRequest = IncomingMessage & {
  method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>>;
};

export interface RequestViolations {
  /** The caller who is let in instead of an error; undefined if the error is answered. */
  letIn(error: unknown): Caller | undefined;
  /** Whether the caller may do what the error refuses. */
  permits(error: unknown): boolean;
  /** Returns the answer that replaces the original, and records both; undefined if it stays. */
  answer(original: OriginalAnswer): ChangedAnswer | undefined;
  /** The same for the events of a stream, each a JSON text. */
  stream(events: Iterable<string>): Iterable<string>;
  /** The events are cut at other bytes than where they end. */
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
  /** Notes whose file it is. */
  isOf(accountId: string): void;
  /** Waits for the end of a job, or for the client to hang up; a reset does not wait for this read meanwhile. */
  whenFinal(jobId: string): Promise<void>;
  /** Answers with the file of the path, or throws why not. */
  serve(): Promise<void>;
  /** Sends a file, or other bytes in its place. */
  send(found: ServedFile, body?: Buffer): Promise<void>;
}

export const NO_VIOLATIONS: Violations = {
  isOn: false,
  money: {
    charge: () => undefined,
    refund: () => false,
    keep() {},
    refuse: () => Promise.resolve(),
    keepsRefused: () => false,
  },
  events: {
    publish: (_tx, event) => ({ event, isSilent: false }),
    deliver: (_event, _endpoint, planned) => planned,
    altered: (_tx, { id: eventId, body }) => ({ eventId, body, signed: body }),
    attempted() {},
  },
  keepsObject: () => false,
  skipsClick: () => false,
  request: () => undefined,
  read: ({ serve }) => serve(),
  setRules() {},
};
