import path from 'node:path';
import type { Command } from 'commander';
import type { VirtualClock } from '../../base/clock/virtual-clock.ts';
import { type ConfigOptions, nestedCheckProblem, readConfig } from '../../base/config/config.ts';
import { CommandRunner } from '../../check/runner/command-runner.ts';
import type { Runner, RunTraceResult } from '../../check/runner/runner.ts';
import { type CheckInvocation, toShellCommandLine } from '../../check/token.ts';
import { makeEphemeralDataFolder } from '../../engine/storage/data-folder.ts';
import { RenderCache } from '../../media/render-cache.ts';
import { EMBEDDED_EMULATOR_DEFAULTS } from '../config-flags.ts';
import { SpendCounter } from '../exec/spend-counter.ts';
import { CommandError, EXIT_CODES } from '../process-end.ts';
import { writeOutputOrThrow } from '../report-files.ts';
import { printToStderr } from '../terminal-output.ts';

const USUAL = { ...EMBEDDED_EMULATOR_DEFAULTS, warm: 'false' };

export interface AppFlags {
  start?: string;
  ready?: string;
  assert?: string;
}

interface WorldParts {
  env: NodeJS.ProcessEnv;
  jobs: number;
  seed: number;
  clock: VirtualClock;
  signal: AbortSignal;
}

/** Each run has its own emulator in this process. The emulators share renders until the runner is closed. */
export async function openCommandRunner(
  words: readonly string[],
  flags: ConfigOptions & AppFlags,
  parts: WorldParts,
): Promise<{ runner: Runner; close(): Promise<void> }> {
  const { env, jobs, seed, clock, signal } = parts;
  const { WELL_KNOWN_KEY } = await import('../../engine/accounts/accounts.ts');
  const { readOwnOrShippedCatalogue } = await import('../../service/fixtures/read-catalogue.ts');
  const { createWritersAndContentPolicy } = await import('../../compose.ts');
  const { startEmulator } = await import('../../emulator.ts');
  const settled = { port: 0, host: '127.0.0.1', ephemeral: true, seed };
  const config = readConfig({ ...flags, ...settled }, undefined, USUAL);
  const renders = new RenderCache();
  const read = {
    renders,
    catalogue: readOwnOrShippedCatalogue(config.fixtures),
    writers: createWritersAndContentPolicy(),
  };
  const { start, ready, assert } = flags;
  const runner = new CommandRunner({
    clock,
    signal,
    commands: { env, tests: toShellCommandLine(words), start, ready, assert },
    jobs,
    sharesPort: hasFixedAppPort(words, flags),
    warn: warnUser,
    async openEmulator(folder) {
      const tally = new SpendCounter();
      const { url, control, close } = await startEmulator(config, {
        ...read,
        tally,
        folder: makeEphemeralDataFolder(folder),
      });
      const isReset = () => tally.isReplaced;
      return { url, key: WELL_KNOWN_KEY, control, close, isReset, spend: () => tally.spend() };
    },
  });
  const close = async () => {
    await runner.close();
    await renders.close();
  };
  return { runner, close };
}

export function requireNoOuterCheck(): void {
  const fault = nestedCheckProblem();
  if (fault !== undefined) throw new CommandError(EXIT_CODES.wrongUse, fault);
}

export function warnUser(message: string): void {
  printToStderr(`${message}\n`);
}

export function writeFindingTrace(file: string, trace: RunTraceResult | undefined, why: string): void {
  if (trace && 'html' in trace) {
    writeOutputOrThrow('--trace', file, trace.html);
    printToStderr(`The trace of the run is in ${file}.\n`);
  } else warnUser(`No trace was written: ${trace?.fault ?? why}.`);
}

export function hasFixedAppPort(words: readonly string[], { start, ready, assert }: AppFlags): boolean {
  const texts = [...words, start, ready, assert];
  return start !== undefined && !texts.some((text) => text?.includes('{port}') || text?.includes('PORT'));
}

const NAME = 'svc-emulator';
const PACKAGE = ['npx', NAME];
const BY_NAME = /(?:^|[\s;&|("'])svc-emulator(?=["'\s]|$)/;

type Started = Pick<NodeJS.Process, 'argv0' | 'argv' | 'execArgv' | 'env'>;

/**
 * The command that starts this program again in the same folder. If npm resolved the program, `npx svc-emulator`. If it
 * is on the path, `svc-emulator`. Otherwise its file, after Node if Node was called with it.
 */
export function commandToRestartProgram({ argv0, argv, execArgv, env }: Started, cwd: string): string[] {
  const [, file = ''] = argv;
  const folder = path.dirname(file);
  const isLink = path.basename(file) === NAME;
  if (isLink && (BY_NAME.test(env.npm_lifecycle_script ?? '') || isOfProject(folder, cwd))) return PACKAGE;
  if (isLink && (env.PATH ?? '').split(path.delimiter).includes(folder)) return [NAME];
  if (isLink) return [file];
  const near = path.relative(cwd, file);
  return [argv0, ...execArgv, near.startsWith('..') ? file : near];
}

function isOfProject(folder: string, cwd: string): boolean {
  const root = path.dirname(path.dirname(folder));
  if (folder !== path.join(root, 'node_modules', '.bin')) return false;
  return cwd === root || cwd.startsWith(root.endsWith(path.sep) ? root : root + path.sep);
}

export function makeCheckInvocation(words: readonly string[], flags: readonly string[] = []): CheckInvocation {
  return { program: commandToRestartProgram(process, process.cwd()), words: [...flags, '--', ...words] };
}

export function listGivenFlags(command: Command, without: readonly string[]): string[] {
  return command.options.flatMap((option) => {
    const name = option.attributeName();
    const flag = option.long;
    if (!flag || without.includes(name) || command.getOptionValueSource(name) !== 'cli') return [];
    const value: unknown = command.getOptionValue(name);
    if (typeof value === 'boolean') return value === option.negate ? [] : [flag];
    return [value].flat().flatMap((each) => [flag, String(each)]);
  });
}
