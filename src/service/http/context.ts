import type { Semaphore } from '../../base/clock/semaphore.ts';
import type { VirtualClock } from '../../base/clock/virtual-clock.ts';
import type { Config } from '../../base/config/config.ts';
import type { Database } from '../../base/database/database.ts';
import type { Log } from '../../base/log.ts';
import type { Random } from '../../base/random.ts';
import type { Accounts } from '../../engine/accounts/accounts.ts';
import type { Catalogue } from '../../engine/catalogue/catalogue.ts';
import type { CrashHook } from '../../engine/faults/applied-fault.ts';
import type { FaultPoint } from '../../engine/faults/fault-rule.ts';
import type { FaultRules } from '../../engine/faults/fault-rules.ts';
import type { Flows } from '../../engine/flows/flows.ts';
import type { Charges } from '../../engine/generation/charges.ts';
import type { CompletionWriter } from '../../engine/generation/completion-writer.ts';
import type { ContentPolicy } from '../../engine/generation/content-policy.ts';
import type { Pipeline } from '../../engine/generation/pipeline.ts';
import type { Songwriter } from '../../engine/generation/songwriter/songwriter.ts';
import type { UnansweredCalls } from '../../engine/generation/unanswered-store.ts';
import type { Jobs } from '../../engine/jobs/jobs.ts';
import type { AuditLog } from '../../engine/journal/audit-store.ts';
import type { Journal } from '../../engine/journal/journal.ts';
import type { LiveFeed } from '../../engine/journal/live-feed.ts';
import type { Notices } from '../../engine/journal/notices.ts';
import type { Elements } from '../../engine/library/elements.ts';
import type { ServedFiles } from '../../engine/library/served-files.ts';
import type { Snapshots } from '../../engine/snapshots/snapshots.ts';
import type { Files } from '../../engine/storage/files.ts';
import type { Objects } from '../../engine/storage/objects.ts';
import type { References } from '../../engine/storage/references.ts';
import type { Violations } from '../../engine/violations.ts';
import type { Inbox } from '../../engine/webhooks/inbox.ts';
import type { SelfUrlGuard } from '../../engine/webhooks/url-guard.ts';
import type { Webhooks } from '../../engine/webhooks/webhooks.ts';
import type { Renderer } from '../../media/render-request.ts';
import type { PromptMessage } from '../../media/text/reply-writer.ts';
import type { Fixtures } from '../fixtures/fixtures.ts';
import type { RateLimit } from './auth.ts';
import type { HostRule } from './origin-check.ts';
import type { StateBarrier } from './state-barrier.ts';

/** The subsystems that the paid operations work with; steps of flows, which are part of {@link Context.flows}, get these. */
export interface StepContext {
  readonly config: Config;
  readonly clock: VirtualClock;
  readonly random: Random;
  readonly database: Database;
  readonly journal: Journal;
  readonly audit: AuditLog;
  readonly log: Log;
  readonly accounts: Accounts;
  readonly catalogue: Catalogue;
  readonly files: Files;
  readonly objects: Objects;
  readonly references: References;
  readonly elements: Elements;
  readonly webhooks: Webhooks;
  /** Recognises URLs that lead back to the emulator: nothing is sent there [I227]. */
  readonly selfUrlGuard: SelfUrlGuard;
  readonly inbox: Inbox;
  readonly notices: Notices;
  readonly live: LiveFeed;
  readonly policy: ContentPolicy;
  readonly completions: CompletionWriter;
  readonly songwriter: Songwriter;
  readonly renderer: Renderer;
  readonly jobs: Jobs;
  readonly charges: Charges;
  readonly pipeline: Pipeline;
  readonly unanswered: UnansweredCalls;
  /** Ends the process at a crash point; undefined where no supervisor would start it again. */
  readonly crashHook: CrashHook | undefined;
  readonly barrier: StateBarrier;
  readonly fixtures: Fixtures;
  readonly hosts: HostRule;
  readonly served: ServedFiles;
  readonly rateLimit: RateLimit | undefined;
  /** What replaces or saves the whole state does so one at a time. */
  readonly stateLock: Semaphore;
  readonly faults: FaultRules;
  /** How the contract may be broken. */
  readonly violations: Violations;
  /** When this instance started: milliseconds of real time. */
  readonly startedAt: number;
}

/** Everything one emulator is made of, built once by `compose.ts` and handed to every operation. */
export interface Context extends StepContext {
  readonly flows: Flows;
  readonly snapshots: Snapshots;
  /** Where fault rules can act. */
  readonly faultPoints: readonly FaultPoint[];
  /** When the state was seeded: milliseconds of the emulator's clock. */
  seededAt(): number;
  /** The engine prompt of a chat, assembled again from its body. */
  enginePromptOf(body: string): PromptMessage[] | undefined;
  /** Settles all that is due; resolves when no render that is due is left. */
  settleDue(): Promise<void>;
  /** OpenAPI documents, made when they are first asked for. */
  readonly documents: { service(version?: '3.1' | '3.0'): object; control(version?: '3.1' | '3.0'): Promise<object> };
  /** Back to the seeded state. */
  reset(): Promise<void>;
}
