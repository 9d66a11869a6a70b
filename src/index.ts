import { EmulatorClient } from './client/emulator-client.ts';
import { type ConfigOptions, readConfig } from './config/config.ts';
import { optionNamed } from './config/config-file.ts';

export {
  AccountClient,
  type AccountDelivery,
  type AccountEvent,
  type AccountJob,
  type AccountOrder,
  type LedgerEntry,
  type Plan,
  type Role,
} from './client/account-client.ts';
export type { ClockClient, ClockReading } from './client/clock-client.ts';
export { ControlError } from './client/control-connection.ts';
export type { Duration } from './client/duration.ts';
export {
  EmulatorClient,
  type Health,
  type InvariantReport,
  type JournalledRequest,
  type Progression,
} from './client/emulator-client.ts';
export type {
  FaultClient,
  FaultEffect,
  FaultMatch,
  FaultOrder,
  FaultRecord,
} from './client/fault-client.ts';
export type { InboxClient } from './client/inbox-client.ts';
export type { SnapshotClient } from './client/snapshot-client.ts';
export type {
  Budget,
  Explanation,
  SqlAnswer,
  UsageSummary,
  Verdict,
} from './client/story-shapes.ts';
export type { ControlRecord, WaitClient, WaitOptions } from './client/wait-client.ts';
export { ConfigError, type ConfigOptions } from './config/config.ts';
export { requestStory } from './testing/request-story.ts';
export {
  expectSpend,
  measureSpend,
  type Spend,
  totalSpend,
  type WantedSpend,
} from './testing/spend.ts';
export { type SignedPayload, verifySignature } from './webhooks/signature.ts';

/** An emulator that runs in this process, with all that can be done to it. */
export class LocalEmulator extends EmulatorClient implements AsyncDisposable {
  readonly #close: () => Promise<void>;

  constructor(emulator: { url: string; controlToken: string | undefined; close(): Promise<void> }) {
    super(emulator.url, emulator.controlToken);
    this.#close = () => emulator.close();
  }

  /** Finishes or puts off what runs, and lets its port and folder go. */
  close(): Promise<void> {
    return this.#close();
  }

  /** `await using emulator = await startEmulator()` closes it at the end of the block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#close();
  }
}

/**
 * Starts an emulator in this process: on a free port, silent, and keeping nothing unless `dataDir` is given.
 * The options are those of the command line; the environment is not read. Throws `ConfigError` for one that cannot be used.
 */
export async function startEmulator(options: ConfigOptions = {}): Promise<LocalEmulator> {
  for (const name of Object.keys(options)) if (name !== 'config') optionNamed(name, 'startEmulator');
  const usual = { port: 0, ephemeral: options.dataDir === undefined, log: 'silent' } as const;
  const { startEmulator: start } = await import('./emulator.ts');
  return new LocalEmulator(await start(readConfig({ ...usual, ...options }, {})));
}

/** The same of one that runs already. `controlToken` is wanted beyond loopback only. */
export function connectEmulator(url: string, options: { controlToken?: string } = {}): EmulatorClient {
  return new EmulatorClient(url, options.controlToken);
}
