export { ConfigError, type ConfigOptions } from './base/config/config.ts';
export type { ExploreFunctionOptions } from './check/app/explore-function.ts';
export type { ExploreReport } from './check/app/explore-report.ts';
export type { CheckFunctionOptions, MutateFunctionOptions } from './check/check-function.ts';
export { CheckFindings, check, ExploreFindings, explore, MutateSurvivors, mutate } from './check/check-functions.ts';
export type { CheckReport } from './check/check-report.ts';
export type { StoryParts } from './check/runner/function-runner.ts';
export type { MutateReport } from './check/tests/mutate-report.ts';
export type {
  ClockClient,
  Duration,
  FaultClient,
  InboxClient,
  MessageWaitOptions,
  SignedWaitOptions,
  SnapshotClient,
  WaitClient,
  WaitOptions,
} from './client/client-parts.ts';
export type * from './client/client-records.ts';
export { AccountClient, EmulatorClient } from './client/emulator-client.ts';
export { connectEmulator, LocalEmulator, startEmulator } from './client/local-emulator.ts';
export { requestStory } from './client/request-story.ts';
export {
  expectSpend,
  measureSpend,
  type Spend,
  totalSpend,
  type WantedSpend,
} from './client/spend.ts';
export type { OperationName } from './control/call-operation.ts';
export { ControlError, ControlError as EmulatorError, NoEmulator } from './control/control-connection.ts';
export { type SignedPayload, verifySignature } from './engine/webhooks/signature.ts';
