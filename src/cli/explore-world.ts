import path from 'node:path';
import type { Command } from 'commander';
import type { VirtualClock } from '../clock/virtual-clock.ts';
import { type ConfigOptions, readConfig, refuseOverlay } from '../config/config.ts';
import { shellText } from '../explore/token.ts';
import { RememberedRenders } from '../render/remembered-renders.ts';
import { CommandRunner } from '../runs/command-runner.ts';
import type { Runner } from '../runs/runner.ts';
import { passingFolder } from '../storage/data-folder.ts';
import { QUIET } from './config-flags.ts';

const USUAL = { ...QUIET, warm: 'false' };

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
  clock: VirtualClock;
  signal: AbortSignal;
}

/**
 * Where a command is explored: each of its runs has an emulator of its own, in this process. They share what was rendered,
 * until the runner is closed.
 */
export async function openRunner(
  words: readonly string[],
  flags: ConfigOptions & AppTexts,
  parts: WorldParts,
): Promise<Runner> {
  const { use, env, jobs, seed, clock, signal } = parts;
  const { WELL_KNOWN_KEY } = await import('../assembly/seed.ts');
  const { readCatalogue } = await import('../catalogue/catalogue.ts');
  const { loadControl } = await import('../assembly/router.ts');
  const { startEmulator } = await import('../emulator.ts');
  const { InProcessTable } = await import('../http/in-process-calls.ts');
  const { openWriters } = await import('../generation/writers.ts');
  const settled = { port: 0, host: '127.0.0.1', ephemeral: true, supervise: false, seed };
  const config = readConfig({ ...flags, ...settled }, undefined, USUAL);
  if (use === 'mutate') refuseOverlay(config);
  const renders = new RememberedRenders();
  // What all of them read of the package is read once.
  const read = {
    renders,
    catalogue: readCatalogue(config.fixtures),
    writers: openWriters(),
    inProcessTable: new InProcessTable(loadControl),
  };
  const { start, ready, probe, check } = flags;
  const runner = new CommandRunner({
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
  return {
    hasApp: runner.hasApp,
    run: (order) => runner.run(order),
    async close() {
      await runner.close();
      await renders.close();
    },
  };
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

const NAME = 'svc-emulator';
const PACKAGE = ['npx', NAME];
/** The program named by its name alone in the line that npm runs, a script's or npx's. */
const BY_NAME = /(?:^|[\s;&|("'])svc-emulator(?=["'\s]|$)/;

/** The parts of a process that show how it was started. */
type Started = Pick<NodeJS.Process, 'argv0' | 'argv' | 'execArgv' | 'env'>;

/**
 * The words that start this program again in a shell of the same folder. `npx` where npm has found it, by itself or in a
 * script: no shell does; its name where it lies on the path; else Node and the file, as they were given.
 */
export function startedAs({ argv0, argv, execArgv, env }: Started, cwd: string): string[] {
  const [, file = ''] = argv;
  const folder = path.dirname(file);
  const isLink = path.basename(file) === NAME;
  if (isLink && (BY_NAME.test(env.npm_lifecycle_script ?? '') || isOfProject(folder, cwd))) return PACKAGE;
  if (isLink && (env.PATH ?? '').split(path.delimiter).includes(folder)) return [NAME];
  if (isLink) return [file];
  const near = path.relative(cwd, file);
  return [argv0, ...execArgv, near.startsWith('..') ? file : near];
}

/** Whether npx finds what lies there: in this folder's modules, or in those of a folder above it. */
function isOfProject(folder: string, cwd: string): boolean {
  const root = path.dirname(path.dirname(folder));
  if (folder !== path.join(root, 'node_modules', '.bin')) return false;
  return cwd === root || cwd.startsWith(root.endsWith(path.sep) ? root : root + path.sep);
}

/** The flags that a command line gave, as its words, but for some by name. */
export function givenAgain(command: Command, without: readonly string[]): string[] {
  return command.options.flatMap((option) => {
    const name = option.attributeName();
    const flag = option.long;
    if (!flag || without.includes(name) || command.getOptionValueSource(name) !== 'cli') return [];
    const value: unknown = command.getOptionValue(name);
    if (typeof value === 'boolean') return value === option.negate ? [] : [flag];
    return [value].flat().flatMap((each) => [flag, String(each)]);
  });
}
