import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Command, Option } from 'commander';
import { inVersion, OPENAPI_VERSIONS } from '../openapi/older-document.ts';
import { packageFolder } from '../package/fixture-folder.ts';
import { keepTrace } from './exec-trace.ts';
import { print, type RemoteFlags, remoteCommand, withEmulator } from './remote.ts';

interface OpenapiFlags extends RemoteFlags {
  control?: boolean;
  as: (typeof OPENAPI_VERSIONS)[number];
}

/** `svc-emulator openapi`: the OpenAPI document of the service, or of the control surface; no emulator needs to run. */
export function openapiCommand(): Command {
  return remoteCommand('openapi', 'print the OpenAPI document of the service')
    .option('--control', 'that of the control surface instead')
    .addOption(
      new Option('--as <version>', 'for generators that read nothing newer').choices(OPENAPI_VERSIONS).default('3.1'),
    )
    .action(async (flags: OpenapiFlags) => {
      const { EmulatorDocuments } = await import('../openapi/openapi-document.ts');
      const documents = new EmulatorDocuments();
      print({ json: true }, inVersion(flags.control ? await documents.control() : documents.service(), flags.as));
    });
}

/** `svc-emulator lies`: what mutate and fault rules tell otherwise than it is; no emulator needs to run. */
export function liesCommand(): Command {
  return new Command('lies')
    .description('list the lies that mutate and fault rules tell')
    .option('--explain <name>', 'what one of them breaks, whom it harms and what notices it')
    .action(async ({ explain }: { explain?: string }) => {
      const { explainLie, listLies } = await import('../mutate/lie-words.ts');
      process.stdout.write(explain === undefined ? listLies() : explainLie(explain));
    });
}

/** `svc-emulator python-client`: the client for Python, to be put beside the tests that use it. */
export function pythonClientCommand(): Command {
  return new Command('python-client')
    .description('print the client and pytest plugin for Python: svc-emulator python-client > svc_emulator.py')
    .action(() => {
      process.stdout.write(readFileSync(path.join(packageFolder(), 'src', 'python', 'svc_emulator.py')));
    });
}

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
  const html = await withEmulator(flags, (control) => control.call('saveRunTrace', order));
  keepTrace(file, html);
  print(flags, { file, bytes: Buffer.byteLength(html) }, `wrote ${file}: open it in a browser`);
}
