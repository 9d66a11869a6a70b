import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { Command } from 'commander';
import {
  type Config,
  type ConfigOptions,
  findConfigFileOfOption,
  type OptionName,
  readConfig,
} from '../base/config/config.ts';
import { describeSqlite } from '../base/database/open-sqlite.ts';
import { nodeVersionProblem } from '../base/package/package-folder.ts';
import { addFolderToErrors, openDataFolder } from '../engine/storage/data-folder.ts';
import { describeFfmpegError, locatePackagedFfmpeg } from '../media/ffmpeg.ts';
import { loadSharp } from '../media/picture/render-svg.ts';
import { describeBlockedPort } from '../service/http/blocked-ports.ts';
import { namePortHolderOnConflict } from '../service/http/port-in-use.ts';
import { addFlags } from './config-flags.ts';
import { CommandError, EXIT_CODES, exitCodeAndMessage } from './process-end.ts';
import { type ProgressCallback, print, printReport, withProgress } from './terminal-output.ts';

export interface DoctorCheckResult {
  name: string;
  ok: boolean;
  detail: string;
}

/**
 * Locks an existing data folder for a moment, except with `--ephemeral`. An ffmpeg that a config file (`ffmpegFrom`)
 * names is not run, because anyone may have written that file.
 */
async function runChecks(
  config: Config,
  ffmpegFrom: string | undefined,
  progress: ProgressCallback,
): Promise<DoctorCheckResult[]> {
  const checks: readonly [string, () => string | Promise<string>][] = [
    ['Node', findNode],
    ['SQLite', describeSqlite],
    ['sharp', findSharp],
    ['ffmpeg', () => findFfmpeg(config, ffmpegFrom)],
    ['port', () => findPort(config)],
    ['data folder', () => findDataFolder(config)],
  ];
  const findings: DoctorCheckResult[] = [];
  for (const [name, check] of checks) {
    findings.push(await finding(name, check));
    progress(findings.length, checks.length);
  }
  return findings;
}

async function finding(name: string, check: () => string | Promise<string>): Promise<DoctorCheckResult> {
  try {
    return { name, ok: true, detail: await check() };
  } catch (error) {
    return { name, ok: false, detail: exitCodeAndMessage(error).message.split('\n')[0] ?? '' };
  }
}

function fail(detail: string): never {
  throw new CommandError(EXIT_CODES.failure, detail);
}

function findNode(): string {
  const fault = nodeVersionProblem();
  return fault === undefined ? process.version : fail(fault);
}

function findSharp(): string {
  return `libvips ${loadSharp().versions.vips}`;
}

async function findFfmpeg(config: Config, from: string | undefined): Promise<string> {
  const file = config.ffmpeg ?? locatePackagedFfmpeg().path;
  if (from !== undefined) return `${file}, as ${from} says; it was not run: --ffmpeg ${file} tries it`;
  try {
    const { stdout } = await promisify(execFile)(file, ['-version'], { timeout: 10_000 });
    return stdout.split('\n')[0]?.replace(/ Copyright.*/, '') ?? '';
  } catch (error) {
    return fail(describeFfmpegError(error, file));
  }
}

async function findPort({ host, port }: Config): Promise<string> {
  const listening = new Promise<string>((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, host, () => {
      server.close(() => resolve(port === 0 ? 'a free one is picked' : `${port} of ${host} is free`));
    });
  });
  const found = await namePortHolderOnConflict({ host, port }, listening);
  const blocked = describeBlockedPort(port);
  return blocked === undefined ? found : fail(blocked);
}

function findDataFolder(config: Config): string {
  if (config.ephemeral) return 'none is needed (--ephemeral)';
  const { dataDir } = config;
  if (!existsSync(dataDir)) {
    addFolderToErrors(dataDir, () => accessSync(existingParent(dataDir), constants.W_OK));
    return `${dataDir} will be created`;
  }
  openDataFolder(config).release();
  return `${dataDir} can be used`;
}

function existingParent(folder: string): string {
  const parent = path.dirname(folder);
  return existsSync(parent) || parent === folder ? parent : existingParent(parent);
}

const EXAMINED: readonly OptionName[] = ['port', 'host', 'dataDir', 'ephemeral', 'ffmpeg', 'config'];

interface DoctorFlags extends Pick<ConfigOptions, (typeof EXAMINED)[number]> {
  json?: boolean;
}

export function createDoctorCommand(): Command {
  const command = new Command('doctor').description('check whether the emulator can start, and explain any problem');
  return addFlags(command, EXAMINED).option('--json', 'print JSON').action(doctor);
}

async function doctor({ json, ...flags }: DoctorFlags): Promise<void> {
  const config = readConfig(flags);
  const ffmpegFrom = findConfigFileOfOption('ffmpeg', flags);
  const findings = await withProgress('doctor', (progress) => runChecks(config, ffmpegFrom, progress));
  const ok = findings.every((finding) => finding.ok);
  if (json) print(`${JSON.stringify({ ok, findings }, null, 2)}\n`);
  else
    printReport(`${findings.map(line).join('\n')}\n`, (text) =>
      text.startsWith('FAILED') ? 'red' : text ? 'green' : undefined,
    );
  if (!ok) throw new CommandError(EXIT_CODES.failure);
}

function line({ name, ok, detail }: DoctorCheckResult): string {
  return `${ok ? 'ok    ' : 'FAILED'}  ${name.padEnd(14)}  ${detail}`;
}
