import type { Semaphore } from '../../base/clock/clock.ts';
import type { VirtualClock } from '../../base/clock/virtual-clock.ts';
import type { Config } from '../../base/config/config.ts';
import type { Database } from '../../base/database/database.ts';
import type { Log } from '../../base/log.ts';
import type { Random } from '../../base/random.ts';
import type { Accounts } from '../../engine/accounts/accounts.ts';
import type { Tests } from '../../engine/accounts/tests.ts';
import type { FaultRules } from '../../engine/faults/fault-rules.ts';
import type { FlowRuns } from '../../engine/flows/flows.ts';
import type { GenerationContext } from '../../engine/generation/place-order.ts';
import type { AuditLog } from '../../engine/journal/audit-store.ts';
import type { Journal } from '../../engine/journal/journal.ts';
import type { LiveFeed } from '../../engine/journal/live-feed.ts';
import type { Notices } from '../../engine/journal/notices.ts';
import type { ServedFiles } from '../../engine/library/served-files.ts';
import type { Snapshots } from '../../engine/snapshots/snapshots.ts';
import type { Files } from '../../engine/storage/files.ts';
import type { ReferenceMediaReader } from '../../engine/storage/references.ts';
import type { Inboxes } from '../../engine/webhooks/inboxes.ts';
import type { SelfUrlDetector } from '../../engine/webhooks/url-guard.ts';
import type { Webhooks } from '../../engine/webhooks/webhooks.ts';
import type { Renderer } from '../../media/render-request.ts';
import type { Fixtures } from '../fixtures/fixtures.ts';
import type { HostHeaderGuard, RateLimiter } from './access.ts';
import type { StateBarrier } from './state-barrier.ts';

export interface StorageContext {
  readonly files: Files;
  readonly renderer: Renderer;
  readonly references: ReferenceMediaReader;
  readonly served: ServedFiles;
}

interface Events {
  readonly webhooks: Webhooks;
  readonly inboxes: Inboxes;
  /** Rejects webhooks to URLs of the emulator, except to its inboxes [I227]. */
  readonly selfUrlDetector: SelfUrlDetector;
}

export interface RecordsContext {
  readonly journal: Journal;
  readonly audit: AuditLog;
  readonly notices: Notices;
  readonly live: LiveFeed;
}

export interface FaultsAndFixtures {
  readonly rules: FaultRules;
  readonly fixtures: Fixtures;
}

export interface ControlContext {
  readonly hosts: HostHeaderGuard;
  readonly rateLimit: RateLimiter | undefined;
  readonly barrier: StateBarrier;
  /** Held while the state is saved or replaced, so that only one operation does so at a time. */
  readonly stateLock: Semaphore;
  /** In milliseconds of real time. */
  readonly startedAt: number;
  readonly flows: FlowRuns;
  readonly tests: Tests;
  readonly snapshots: Snapshots;
  readonly documents: { service(version?: '3.1' | '3.0'): object; control(version?: '3.1' | '3.0'): Promise<object> };
  /** Ends all due jobs, and advances the flow runs in progress as far as they go. Does not wait for later runs. */
  settleDue(): Promise<void>;
  reset(): Promise<void>;
}

export interface BaseContext {
  readonly config: Config;
  readonly clock: VirtualClock;
  readonly random: Random;
  readonly database: Database;
  readonly log: Log;
  readonly accounts: Accounts;
  readonly generation: GenerationContext;
  readonly storage: StorageContext;
  readonly events: Events;
  readonly records: RecordsContext;
  readonly failures: FaultsAndFixtures;
}

export interface Context extends BaseContext {
  readonly control: ControlContext;
}
