export type { ConfigOptions } from './base/config/config.ts';
export { ConfigError } from './base/errors.ts';
export type { CheckReport } from './check/report.ts';
export { describeRequests } from './client/account-activity.ts';
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
export {
  type ExpectedSpend,
  expectSpend,
  measureSpend,
  type Spend,
  totalSpend,
} from './client/spend.ts';
export type { OperationName } from './control/call-operation.ts';
export { ControlError, ControlError as EmulatorError, NoEmulator } from './control/control-errors.ts';
export { type VerifySignatureOptions, verifySignature } from './engine/webhooks/signature.ts';
