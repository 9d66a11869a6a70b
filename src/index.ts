import { VirtualClock } from './base/clock/clock.ts';
import { ConfigError, type ConfigOptions, mutationUrl, nestingFault, readConfig } from './base/config/config.ts';
import { optionNamed } from './base/config/config-file.ts';
import { type ExploreFunctionOptions, exploreFunction, type StoryParts } from './check/app/explore-function.ts';
import type { ExploreReport } from './check/app/explore-report.ts';
import { RunFault } from './check/runner/runner.ts';
import { EmulatorClient } from './client/emulator-client.ts';

export type { ExploreReport } from './check/app/explore-report.ts';

import { nodeFault } from './base/package/node-version.ts';
import { VERSION } from './base/package/version.ts';
import type { MutateFunctionParts } from './check/tests/mutate-function.ts';
import type { MutateFunctionOptions } from './check/tests/mutate-survivors.ts';
import type { MutateReport } from './check/tests/report-schema.ts';

export { ConfigError, type ConfigOptions } from './base/config/config.ts';
export {
  ExploreFindings,
  type ExploreFunctionOptions,
  type StoryParts,
} from './check/app/explore-function.ts';
export { type MutateFunctionOptions, MutateSurvivors } from './check/tests/mutate-survivors.ts';
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
export { requestStory } from './client/request-story.ts';
export {
  expectSpend,
  measureSpend,
  type Spend,
  totalSpend,
  type WantedSpend,
} from './client/spend.ts';
export type { AnswerOf, ControlCalls, OperationName, OrderOf } from './control/call-operation.ts';
export { ControlError, ControlError as EmulatorError, NoEmulator } from './control/control-connection.ts';
export { type SignedPayload, verifySignature } from './engine/webhooks/signature.ts';

/** An emulator that runs in this process, with all that can be done to it. */
export class LocalEmulator extends EmulatorClient implements AsyncDisposable {
  readonly #close: () => Promise<void>;
  #closed: Promise<void> | undefined;

  constructor(emulator: { url: string; controlToken: string | undefined; close(): Promise<void> }) {
    super(emulator.url, emulator.controlToken);
    this.#close = () => emulator.close();
  }

  /** Finishes or puts off what runs, and lets its port and folder go. May be called again. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  /** `await using emulator = await startEmulator()` closes it at the end of the block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/**
 * Starts an emulator in this process: on a free port, silent, and keeping nothing unless `dataDir` is given.
 * The options are those of the command line; the environment is not read. Throws `ConfigError` for one that cannot be used,
 * `NativeModuleMissing` or `PortInUse` with the remedy.
 */
export async function startEmulator(options: ConfigOptions = {}): Promise<LocalEmulator> {
  for (const name of Object.keys(options)) if (name !== 'config') optionNamed(name, 'startEmulator');
  if (options.https)
    throw new ConfigError(
      'https is for svc-emulator start and exec: a process that runs cannot be made to trust another certificate.',
    );
  refuseOldNode();
  const usual = { port: 0, ephemeral: options.dataDir === undefined, log: 'silent', warm: false } as const;
  const { startEmulator: start } = await import('./emulator.ts');
  const url = mutationUrl();
  const emulator = await start(readConfig({ ...usual, ...options }, {}));
  if (url === undefined) return new LocalEmulator(emulator);
  const { joinMutation } = await import('./client/lie-relay.ts');
  const report = await joinMutation({ ...emulator, url });
  return new LocalEmulator({ ...emulator, close: () => report().then(emulator.close) });
}

/** An older one could not even read the program. */
function refuseOldNode(): void {
  const fault = nodeFault();
  if (fault) throw new Error(fault);
}

/** The same of one that runs already. `controlToken` is wanted beyond loopback only. */
export function connectEmulator(url: string, options: { controlToken?: string } = {}): EmulatorClient {
  return new EmulatorClient(url, options.controlToken);
}

/**
 * Runs a story again and again, each time with the service behaving differently in a place or two, in ways that the
 * contract allows. Resolves with the report where the story stands all of it; rejects with `ExploreFindings` otherwise,
 * and with an error that says what to do where the story fails by itself.
 */
export function explore(
  story: (parts: StoryParts) => unknown,
  { emulator, ...options }: ExploreFunctionOptions & { emulator?: ConfigOptions } = {},
): Promise<ExploreReport> {
  return withEmulators('explore', emulator, (parts) => exploreFunction(story, options, parts));
}

/**
 * Runs a story again and again while the service breaks one rule of the contract at a time. Resolves with the report where
 * the story notices every lie, or as many as `min` asks for; rejects with `MutateSurvivors` otherwise, and with an error
 * that says what to do where the story fails by itself.
 */
export function mutate(
  story: (parts: StoryParts) => unknown,
  { emulator, ...options }: MutateFunctionOptions & { emulator?: ConfigOptions } = {},
): Promise<MutateReport> {
  return withEmulators('mutate', emulator, async (parts) => {
    const { mutateFunction } = await import('./check/tests/mutate-function.ts');
    return mutateFunction(story, options, parts);
  });
}

/** What opens emulators for runs of a story, which share their renders. */
async function withEmulators<T>(
  use: 'explore' | 'mutate',
  options: ConfigOptions | undefined,
  work: (parts: MutateFunctionParts) => Promise<T>,
): Promise<T> {
  refuseOldNode();
  const nesting = nestingFault(use);
  if (nesting !== undefined) throw new RunFault(nesting);
  const { startEmulator: start } = await import('./emulator.ts');
  const { RememberedRenders } = await import('./media/remembered-renders.ts');
  const renders = new RememberedRenders();
  const usual = { port: 0, ephemeral: true, log: 'silent', settleAfter: 0, warm: false } as const;
  const openEmulator = async (seed: number) => {
    const opened = await start(readConfig({ ...usual, seed, ...options }, {}), { renders });
    const { url, controlToken, control, lies, close } = opened;
    return { client: new EmulatorClient(url, controlToken), control, lies, close };
  };
  try {
    return await work({ clock: new VirtualClock(), version: VERSION, openEmulator });
  } finally {
    await renders.close();
  }
}
