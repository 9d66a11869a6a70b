import { VirtualClock } from '../base/clock/virtual-clock.ts';
import { type ConfigOptions, nestingFault, readConfig } from '../base/config/config.ts';
import { refuseOldNode, VERSION } from '../base/package/package-folder.ts';
import { EmulatorClient } from '../client/emulator-client.ts';
import { type ExploreFunctionOptions, exploreFunction, type SearchWorld } from './app/explore-function.ts';
import type { ExploreReport } from './app/explore-report.ts';
import { statementOf } from './broken-statement.ts';
import type { CheckFunctionOptions, MutateFunctionOptions } from './check-function.ts';
import type { CheckReport } from './check-report.ts';
import type { Story } from './runner/function-runner.ts';
import { ReportError, RunFault } from './runner/runner.ts';
import type { MutateReport } from './tests/mutate-report.ts';

/** What was found, as the message of an error; `report` is what `--report` writes. */
export class ExploreFindings extends ReportError<ExploreReport> {
  override name = 'ExploreFindings';
}

/** The broken statements, as the message of an error; `report` is what `--report` writes. */
export class CheckFindings extends ReportError<CheckReport> {
  override name = 'CheckFindings';
}

/** The lies that a story does not notice, as the message of an error; `report` is what `--report` writes. */
export class MutateSurvivors extends ReportError<MutateReport> {
  override name = 'MutateSurvivors';
}

type OnEmulator<Options> = Options & { emulator?: ConfigOptions };

/**
 * Runs a story again and again, each time with the service behaving differently in a place or two, in ways that the
 * contract allows. Resolves with the report where the story stands all of it; rejects with `ExploreFindings` otherwise,
 * and with an error that says what to do where the story fails by itself.
 */
export function explore(story: Story, options: OnEmulator<ExploreFunctionOptions> = {}): Promise<ExploreReport> {
  return searched('explore', ExploreFindings, options, (world) => exploreFunction(story, options, world));
}

/**
 * Runs a story again and again while the service breaks one rule of the contract at a time. Resolves with the report where
 * the story notices every lie, or as many as `min` asks for; rejects with `MutateSurvivors` otherwise, and with an error
 * that says what to do where the story fails by itself.
 */
export function mutate(story: Story, options: OnEmulator<MutateFunctionOptions> = {}): Promise<MutateReport> {
  return searched('mutate', MutateSurvivors, options, async (world) => {
    const { mutateFunction } = await import('./check-function.ts');
    return mutateFunction(story, options, world);
  });
}

/**
 * Checks a story: runs it while the service does what it may, and while it breaks its contract. Resolves with the report
 * where no statement is broken; rejects with `CheckFindings` otherwise, and with an error that says what to do where
 * nothing can be measured.
 */
export function check(story: Story, options: OnEmulator<CheckFunctionOptions> = {}): Promise<CheckReport> {
  return searched('check', CheckFindings, options, async (world) => {
    const { checkFunction } = await import('./check-function.ts');
    return checkFunction(story, options, world);
  });
}

/** Opens emulators for runs of a story, which share their renders; rejects with what was found. */
async function searched<Report extends object>(
  use: 'check' | 'explore' | 'mutate',
  Findings: new (fault: string, report: Report) => ReportError<Report>,
  { emulator }: OnEmulator<object>,
  work: (world: SearchWorld) => Promise<{ report: Report; fault?: string }>,
): Promise<Report> {
  refuseOldNode();
  const nesting = nestingFault(use);
  if (nesting !== undefined) throw new RunFault(nesting);
  const { startEmulator: start } = await import('../emulator.ts');
  const { RememberedRenders } = await import('../media/remembered-renders.ts');
  const renders = new RememberedRenders();
  const usual = { port: 0, ephemeral: true, log: 'silent', settleAfter: 0, warm: false } as const;
  const openEmulator = async (seed: number) => {
    const opened = await start(readConfig({ ...usual, seed, ...emulator }, {}), { renders });
    const { url, controlToken, control, lies, close } = opened;
    return { client: new EmulatorClient(url, controlToken), control, lies, close };
  };
  try {
    const { report, fault } = await work({ clock: new VirtualClock(), version: VERSION, openEmulator, statementOf });
    if (fault === undefined) return report;
    throw new Findings(fault, report);
  } finally {
    await renders.close();
  }
}
