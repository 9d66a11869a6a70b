export { ConfigError, type ConfigOptions } from './base/config/config.ts';
export {
  ExploreFindings,
  type ExploreFunctionOptions,
  type StoryParts,
} from './check/app/explore-function.ts';
export type { ExploreReport } from './check/app/explore-report.ts';
export { check, explore, mutate } from './check/check-functions.ts';
export type { CheckReport } from './check/check-report.ts';
export {
  CheckFindings,
  type CheckFunctionOptions,
  type MutateFunctionOptions,
  MutateSurvivors,
} from './check/function-forms.ts';
export type { MutateReport } from './check/tests/report-schema.ts';
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
