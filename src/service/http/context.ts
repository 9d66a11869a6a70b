import type { VirtualClock } from '../../base/clock/virtual-clock.ts';
import type { Semaphore } from '../../base/clock/waits.ts';
import type { Config } from '../../base/config/config.ts';
import type { Database } from '../../base/database/database.ts';
import type { Log } from '../../base/log.ts';
import type { Random } from '../../base/random.ts';
import type { Accounts } from '../../engine/accounts/accounts.ts';
import type { FaultRules } from '../../engine/faults/fault-rules.ts';
import type { Flows } from '../../engine/flows/flows.ts';
import type { Generation } from '../../engine/generation/pipeline.ts';
import type { AuditLog } from '../../engine/journal/audit-store.ts';
import type { Journal } from '../../engine/journal/journal.ts';
import type { LiveFeed } from '../../engine/journal/live-feed.ts';
import type { Notices } from '../../engine/journal/notices.ts';
import type { Snapshots } from '../../engine/snapshots/snapshots.ts';
import type { Storage } from '../../engine/storage/storage.ts';
import type { Violations } from '../../engine/violations.ts';
import type { Inbox } from '../../engine/webhooks/inbox.ts';
import type { SelfUrlGuard } from '../../engine/webhooks/url-guard.ts';
import type { Webhooks } from '../../engine/webhooks/webhooks.ts';
import type { Fixtures } from '../fixtures/fixtures.ts';
import type { HostRule, RateLimit } from './access.ts';
import type { StateBarrier } from './state-barrier.ts';

/** What is sent to others. */
export interface Events {
  readonly webhooks: Webhooks;
  readonly inbox: Inbox;
  /** Recognises URLs that lead back to the emulator: nothing is sent there [I227]. */
  readonly selfUrlGuard: SelfUrlGuard;
}

/** What happened: requests, changes, and notices of them for open pages. */
export interface Records {
  readonly journal: Journal;
  readonly audit: AuditLog;
  readonly notices: Notices;
  readonly live: LiveFeed;
}

/** What tests make the service do. */
export interface Failures {
  readonly faults: FaultRules;
  readonly fixtures: Fixtures;
  readonly violations: Violations;
}

/** The emulator as a process: who may call it, its state as a whole, and its own documents. */
export interface Control {
  readonly hosts: HostRule;
  readonly rateLimit: RateLimit | undefined;
  readonly barrier: StateBarrier;
  /** Operations that save or replace the whole state run one at a time. */
  readonly stateLock: Semaphore;
  /** Milliseconds of real time. */
  readonly startedAt: number;
  readonly flows: Flows;
  readonly snapshots: Snapshots;
  /** OpenAPI documents, made when they are first asked for. */
  readonly documents: { service(version?: '3.1' | '3.0'): object; control(version?: '3.1' | '3.0'): Promise<object> };
  /** Settles all that is due; resolves when no render that is due is left. */
  settleDue(): Promise<void>;
  reset(): Promise<void>;
}

/** The parts of one emulator without those that are built from them. */
export interface WorkContext {
  readonly config: Config;
  readonly clock: VirtualClock;
  readonly random: Random;
  readonly database: Database;
  readonly log: Log;
  readonly accounts: Accounts;
  readonly generation: Generation;
  readonly storage: Storage;
  readonly events: Events;
  readonly records: Records;
  readonly failures: Failures;
}

/** Everything one emulator is made of, built once by `compose.ts` and handed to every operation. */
export interface Context extends WorkContext {
  readonly control: Control;
}
