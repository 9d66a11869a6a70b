import type { VirtualClock } from '../clock/virtual-clock.ts';
import { type ConfigOptions, type OptionName, readConfig } from '../config/config.ts';
import { shellText } from '../explore/token.ts';
import type { RememberedRenders } from '../render/remembered-renders.ts';
import { CommandRunner } from '../runs/command-runner.ts';
import { passingFolder } from '../storage/data-folder.ts';

/** What an instance that lives for one run decides by itself. */
export const SETTLED: readonly OptionName[] = ['port', 'host', 'dataDir', 'ephemeral', 'supervise', 'seed'];
export const USUAL = { log: 'silent', settleAfter: '0', warm: 'false' };

/** What the shell runs beside a story. */
export interface AppTexts {
  start?: string;
  ready?: string;
  probe?: string;
  check?: string;
}

interface WorldParts {
  /** The command of this program that runs it. */
  use: string;
  /** What it runs in, but for where its emulator is. */
  env: NodeJS.ProcessEnv;
  /** Runs at the same time. */
  jobs: number;
  seed: number;
  renders: RememberedRenders;
  clock: VirtualClock;
  signal: AbortSignal;
}

/** Where a command is explored: each of its runs has an emulator of its own, in this process. */
export async function openRunner(
  words: readonly string[],
  flags: ConfigOptions & AppTexts,
  parts: WorldParts,
): Promise<CommandRunner> {
  const { use, env, jobs, seed, renders, clock, signal } = parts;
  const { WELL_KNOWN_KEY } = await import('../assembly/seed.ts');
  const { readCatalogue } = await import('../catalogue/catalogue.ts');
  const { loadControl } = await import('../assembly/router.ts');
  const { startEmulator } = await import('../emulator.ts');
  const { InProcessTable } = await import('../http/in-process-calls.ts');
  const { openWriters } = await import('../generation/writers.ts');
  const settled = { port: 0, host: '127.0.0.1', ephemeral: true, supervise: false, seed };
  const config = readConfig({ ...flags, ...settled }, undefined, USUAL);
  // What all of them read of the package is read once.
  const read = {
    renders,
    catalogue: readCatalogue(config.fixtures),
    writers: openWriters(),
    inProcessTable: new InProcessTable(loadControl),
  };
  const { start, ready, probe, check } = flags;
  return new CommandRunner({
    clock,
    signal,
    use,
    commands: { env, story: shellText(words), start, ready, probe, check },
    stories: jobs,
    sharesPort: sharesPort(words, flags),
    warn: warnUser,
    async openEmulator(folder) {
      const { url, control, lies, close } = await startEmulator(config, { ...read, folder: passingFolder(folder) });
      return { url, key: WELL_KNOWN_KEY, control, lies, close };
    },
  });
}

/** Prints what is wrong with a story beside what the command prints. */
export function warnUser(message: string): void {
  process.stderr.write(`${message}\n`);
}

/** Whether an app is started, and none of the texts gives it its port. */
export function sharesPort(words: readonly string[], texts: AppTexts): boolean {
  return texts.start !== undefined && !givesPort(words, texts);
}

/** Whether one of the texts uses the port that a run is given. */
export function givesPort(words: readonly string[], { start, ready, probe, check }: AppTexts): boolean {
  const texts = [...words, start, ready, probe, check];
  return texts.some((text) => text?.includes('{port}') || text?.includes('PORT'));
}
