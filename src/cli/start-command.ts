import { Command } from 'commander';
import {
  type Config,
  type ConfigOptions,
  environmentVariableOf,
  flagOf,
  optionNames,
  readConfig,
} from '../base/config/config.ts';
import { ControlConnection } from '../control/control-connection.ts';
import type { Emulator } from '../emulator.ts';
import { describeBlockedPort } from '../service/http/blocked-ports.ts';
import { addFlags, EMBEDDED_EMULATOR_DEFAULTS } from './config-flags.ts';
import { waitForStopSignal } from './process-end.ts';
import { requireWritableOutput, writeTraceFile } from './report-files.ts';
import { print, printToStderr, withProgress } from './terminal-output.ts';

const VARIABLES = `
Each option can also be set by an environment variable, such as ${environmentVariableOf('maxDisk')} for ${flagOf('maxDisk')}.
Set a switch to true or 1; separate the values of a repeatable option with commas.
Options that neither the command line nor a variable sets are read from svc-emulator.config.json,
as in {"maxDisk": "1GiB", "strict": true}.

Exit codes: 0 after a signal, 1 on failure, 2 on incorrect usage, 3 if the data folder is in use.`;

export function createStartCommand(): Command {
  const command = new Command('start').description('start the emulator (the default command)');
  return addFlags(command, optionNames()).addHelpText('after', VARIABLES).action(runStart);
}

export async function runStart(flags: ConfigOptions): Promise<void> {
  const config = readConfig(flags);
  // Many parts write renders, uploads and snapshots; other users must not read them [I229].
  process.umask(0o077);
  await runEmulator(config);
}

function firstSteps(url: string, key: string): string {
  const rows = [
    ['dashboard', `${url}/`],
    ['SVC_BASE_URL', url],
    ['OPENAI_BASE_URL', `${url}/v1`],
    ['key', key],
    ['docs', `${url}/docs`],
  ];
  return rows.map(([name = '', value]) => `  ${name.padEnd(15)}  ${value}\n`).join('');
}

function portProblems({ url, neighbour }: Emulator): string[] {
  const port = new URL(url).port || '80';
  const shared = neighbour === undefined ? undefined : neighbourLine(neighbour, port);
  return [describeBlockedPort(Number(port)), shared].filter((line) => line !== undefined);
}

function neighbourLine(neighbour: string, port: string): string {
  return `[::1]:${port} belongs to ${neighbour}: clients that use "localhost" may reach that program. Use 127.0.0.1, or choose another port with --port.`;
}

async function runEmulator(config: Config): Promise<void> {
  const stop = waitForStopSignal();
  const { startEmulator } = await import('../emulator.ts');
  const { WELL_KNOWN_KEY } = await import('../engine/accounts/accounts.ts');
  const emulator = await withProgress('starting', () => startEmulator(config));
  const { url, controlToken } = emulator;
  if (controlToken && controlToken !== config.controlToken) {
    print(`control token: ${controlToken}\n`);
  }
  print(`svc-emulator ready on ${url}\n`);
  for (const line of portProblems(emulator)) printToStderr(`${line}\n`);
  if (config.log === 'pretty') printToStderr(firstSteps(emulator.localUrl, WELL_KNOWN_KEY));
  for (const note of emulator.notes) printToStderr(`${note}\n`);
  await stop;
  await emulator.close();
}

const NOTE = `
With --share the command writes the page and exits. The page contains its images, videos and songs, and opens offline.
To save the data of a running emulator, use svc-emulator trace save FILE --trace-media.`;

/** Settings of the page of `demo --share`, which flags cannot change. */
const SETTLED = { port: 0, host: '127.0.0.1', ephemeral: true, credits: 100_000, strict: false };
const MAX_WAIT_SECONDS = 300;

interface DemoFlags extends ConfigOptions {
  share?: string;
}

export function createDemoCommand(): Command {
  const command = new Command('demo')
    .description('start the emulator with sample data, or save the data as one HTML page')
    .option('--share <file>', 'write the sample data as one HTML page and exit');
  const names = optionNames().filter((name) => name !== 'demo');
  return addFlags(command, names).addHelpText('after', NOTE).action(demo);
}

async function demo({ share, ...flags }: DemoFlags): Promise<void> {
  if (share === undefined) return runStart({ ...flags, demo: true });
  requireWritableOutput('--share', share);
  const html = await withProgress('making the demo', () => sharedDemo(flags));
  writeTraceFile(share, html);
  const size = (Buffer.byteLength(html) / 1_000_000).toFixed(1);
  print(`wrote ${share} (${size} MB): double-click it to open it in a browser, even offline\n`);
}

async function sharedDemo(flags: ConfigOptions): Promise<string> {
  const { startEmulator } = await import('../emulator.ts');
  const emulator = await startEmulator(
    readConfig({ ...flags, ...SETTLED, demo: true }, undefined, EMBEDDED_EMULATOR_DEFAULTS),
  );
  try {
    return await pageOf(emulator);
  } finally {
    await emulator.close();
  }
}

async function pageOf({ url, controlToken }: Emulator): Promise<string> {
  const control = new ControlConnection(url, { controlToken });
  await control.call('waitFor', { for: 'delivery:flow.run.waiting', timeout: MAX_WAIT_SECONDS });
  await control.call('waitFor', { for: 'idle', timeout: MAX_WAIT_SECONDS });
  const secrets = controlToken === undefined ? [] : [controlToken];
  return control.call('saveTrace', { title: 'svc-emulator demo', media: 'whole', secrets });
}
