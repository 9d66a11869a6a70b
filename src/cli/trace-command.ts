import { Command } from 'commander';
import { callOperation } from '../client/call-operation.ts';
import { keepTrace } from './keep-trace.ts';
import { print, type RemoteFlags, remoteCommand, withEmulator } from './remote.ts';

interface SaveFlags extends RemoteFlags {
  account?: string;
  traceMedia?: boolean;
}

/** `svc-emulator trace`: what is on record, as one page that needs no emulator. */
export function traceCommand(): Command {
  const save = remoteCommand('save', 'write what is on record of the emulator that runs')
    .argument('<file>', 'the HTML file to write')
    .option('--account <id>', 'what was done as this account, and nothing else')
    .option('--trace-media', 'with every picture, clip and sound as it is, in place of small pictures')
    .action(saveTrace);
  return new Command('trace').description('save a run as one HTML page: its requests, money and time').addCommand(save);
}

async function saveTrace(file: string, flags: SaveFlags): Promise<void> {
  const media = flags.traceMedia ? 'whole' : 'small';
  const order = { media, ...(flags.account && { account_id: flags.account }) } as const;
  const html = await withEmulator(flags, (control) => callOperation('saveRunTrace', order, control.transport));
  keepTrace(file, html);
  print(flags, { file, bytes: Buffer.byteLength(html) }, `wrote ${file}: open it in a browser`);
}
