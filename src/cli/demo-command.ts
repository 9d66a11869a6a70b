import { Command } from 'commander';
import { type ConfigOptions, optionNames, readConfig } from '../base/config/config.ts';
import { ControlConnection } from '../control/control-connection.ts';
import type { Emulator } from '../emulator.ts';
import { addFlags, QUIET } from './config-flags.ts';
import { keepTrace } from './exec-trace.ts';
import { withProgress } from './progress-bar.ts';
import { requireOutput } from './report-files.ts';
import { start } from './start-command.ts';
import { say } from './terminal-output.ts';

const NOTE = `
With --share no emulator stays: the demo is built in a temporary folder, its pictures, clips and songs are put into the
file, and the file opens without a network. What a running emulator has is written by svc-emulator trace save FILE
--trace-media.`;

/** What the shared demo decides by itself: it is the same for everybody who has the same seed. */
const SETTLED = { port: 0, host: '127.0.0.1', ephemeral: true, supervise: false, credits: 100_000, strict: false };
/** The longest that the demo is waited for, in seconds; it takes ten. */
const LONGEST = 300;

interface DemoFlags extends ConfigOptions {
  share?: string;
}

/** `svc-emulator demo`: starts with the demo, or writes all of it as one page. */
export function demoCommand(): Command {
  const command = new Command('demo')
    .description('start with the demo, or write all of it as one page: --share FILE.html')
    .option('--share <file>', 'write the demo with its media as one HTML page that opens anywhere, and end');
  const names = optionNames().filter((name) => name !== 'demo');
  return addFlags(command, names).addHelpText('after', NOTE).action(demo);
}

async function demo({ share, ...flags }: DemoFlags): Promise<void> {
  if (share === undefined) return start({ ...flags, demo: true });
  requireOutput('--share', share);
  const html = await withProgress('making the demo', () => sharedDemo(flags));
  keepTrace(share, html);
  const size = (Buffer.byteLength(html) / 1_000_000).toFixed(1);
  say(`wrote ${share} (${size} MB): a double click opens it in a browser, without a network\n`);
}

async function sharedDemo(flags: ConfigOptions): Promise<string> {
  const { startEmulator } = await import('../emulator.ts');
  const emulator = await startEmulator(readConfig({ ...flags, ...SETTLED, demo: true }, undefined, QUIET));
  try {
    return await pageOf(emulator);
  } finally {
    await emulator.close();
  }
}

/** The last thing that the demo makes is the run that waits. */
async function pageOf({ url, controlToken }: Emulator): Promise<string> {
  const control = new ControlConnection(url, { controlToken });
  await control.call('waitFor', { for: 'delivery:flow.run.waiting', timeout: LONGEST });
  await control.call('waitFor', { for: 'idle', timeout: LONGEST });
  const secrets = controlToken === undefined ? [] : [controlToken];
  return control.call('saveRunTrace', { title: 'svc-emulator demo', media: 'whole', secrets });
}
