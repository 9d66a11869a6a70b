import type { Clock } from '../../base/clock/clock.ts';
import type { Config } from '../../base/config/config.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { CrashHook } from '../faults/applied-fault.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Charges } from './charges.ts';
import type { CompletionWriter } from './completion-writer.ts';
import type { ContentPolicy } from './content-policy.ts';
import type { Pipeline } from './pipeline.ts';
import type { Songwriter } from './songwriter/songwriter.ts';
import type { UnansweredCalls } from './unanswered-store.ts';

/** What paid operations work with. */
export interface Generation {
  readonly clock: Clock;
  readonly mediaSize: Config['mediaSize'];
  readonly catalogue: Catalogue;
  readonly pipeline: Pipeline;
  readonly charges: Charges;
  readonly jobs: Jobs;
  readonly unanswered: UnansweredCalls;
  readonly policy: ContentPolicy;
  readonly completions: CompletionWriter;
  readonly songwriter: Songwriter;
  /** Ends the process at a crash point; undefined where no supervisor would start it again. */
  readonly crashHook: CrashHook | undefined;
}
