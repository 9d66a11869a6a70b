import { VirtualClock } from '../base/clock/clock.ts';
import { type ConfigOptions, nestingFault, readConfig } from '../base/config/config.ts';
import { refuseOldNode, VERSION } from '../base/package/package-folder.ts';
import { EmulatorClient } from '../client/emulator-client.ts';
import { type ExploreFunctionOptions, exploreFunction, type StoryParts } from './app/explore-function.ts';
import type { ExploreReport } from './app/explore-report.ts';
import type { CheckReport } from './check-report.ts';
import type { CheckFunctionOptions, MutateFunctionOptions } from './function-forms.ts';
import { RunFault } from './runner/runner.ts';
import type { MutateFunctionParts } from './tests/mutate-function.ts';
import type { MutateReport } from './tests/report-schema.ts';

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
    const { mutateFunction } = await import('./tests/mutate-function.ts');
    return mutateFunction(story, options, parts);
  });
}

/**
 * Checks a story: runs it while the service does what it may, and while it breaks its contract. Resolves with the report
 * where no statement is broken; rejects with `CheckFindings` otherwise, and with an error that says what to do where
 * nothing can be measured.
 */
export function check(
  story: (parts: StoryParts) => unknown,
  { emulator, ...options }: CheckFunctionOptions & { emulator?: ConfigOptions } = {},
): Promise<CheckReport> {
  return withEmulators('check', emulator, async (parts) => {
    const { checkFunction } = await import('./check-function.ts');
    return checkFunction(story, options, parts);
  });
}

/** What opens emulators for runs of a story, which share their renders. */
async function withEmulators<T>(
  use: 'check' | 'explore' | 'mutate',
  options: ConfigOptions | undefined,
  work: (parts: MutateFunctionParts) => Promise<T>,
): Promise<T> {
  refuseOldNode();
  const nesting = nestingFault(use);
  if (nesting !== undefined) throw new RunFault(nesting);
  const { startEmulator: start } = await import('../emulator.ts');
  const { RememberedRenders } = await import('../media/remembered-renders.ts');
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
