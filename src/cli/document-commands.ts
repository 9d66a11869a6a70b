import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Command, Option } from 'commander';
import type { LieRow } from '../faults/lies/lie-table.ts';
import { inVersion, OPENAPI_VERSIONS } from '../openapi/older-document.ts';
import { packageFolder } from '../package/fixture-folder.ts';
import { keepTrace } from './exec-trace.ts';
import { print, type RemoteFlags, remoteCommand, withEmulator } from './remote.ts';
import { OUT, writeOut } from './report-files.ts';

interface OpenapiFlags extends RemoteFlags {
  control?: boolean;
  out?: string;
  as: (typeof OPENAPI_VERSIONS)[number];
}

/** `svc-emulator openapi`: the OpenAPI document of the service, or of the control surface; no emulator needs to run. */
export function openapiCommand(): Command {
  return remoteCommand('openapi', 'print the OpenAPI document of the service')
    .option('--control', 'that of the control surface instead')
    .addOption(
      new Option('--as <version>', 'for generators that read nothing newer').choices(OPENAPI_VERSIONS).default('3.1'),
    )
    .option(...OUT)
    .action(async (flags: OpenapiFlags) => {
      const { EmulatorDocuments } = await import('../openapi/openapi-document.ts');
      const documents = new EmulatorDocuments();
      const document = inVersion(flags.control ? await documents.control() : documents.service(), flags.as);
      writeOut(flags.out, `${JSON.stringify(document, null, 2)}\n`);
    });
}

interface LiesFlags extends RemoteFlags {
  explain?: string;
}

/** `svc-emulator lies`: what the emulator can tell otherwise than the contract has it; no emulator needs to run. */
export function liesCommand(): Command {
  return remoteCommand('lies', 'print the lies that a fault rule can tell, and what notices each')
    .option('--explain <name>', 'one of them, whole')
    .action(async ({ explain, ...flags }: LiesFlags, command: Command) => {
      const { LIES, lieRow, nearestLie } = await import('../faults/lies/lie-table.ts');
      const rows = LIES.map(({ at: _at, ...row }) => row);
      if (explain === undefined) {
        print(flags, { object: 'list', data: rows }, rows.map(lineOf).join('\n'));
        return;
      }
      const row = lieRow(explain);
      if (!row) command.error(`error: ${explain} is no lie. Did you mean ${nearestLie(explain)}?`);
      const { at: _at, ...rest } = row;
      print(flags, rest, explained(row));
    });
}

function lineOf({ name, family, harm }: Pick<LieRow, 'name' | 'family' | 'harm'>): string {
  return `${family.padEnd(9)} ${name.padEnd(22)} ${harm}`;
}

function explained({ name, family, rule, harm, sees, acts, deep, at }: LieRow): string {
  const rules = rule.length > 0 ? rule.join(', ') : 'that of the field';
  return [
    `${name} (${family}${deep ? ', deep' : ''})`,
    `  breaks    ${rules}`,
    `  changes   ${acts}, at ${at.join(', ')}`,
    `  harm      ${harm}`,
    `  noticed   ${sees}`,
  ].join('\n');
}

/** `svc-emulator python-client`: the client for Python, to be put beside the tests that use it. */
export function pythonClientCommand(): Command {
  const about = 'print the client and pytest plugin for Python: svc-emulator python-client --out svc_emulator.py';
  return sourceCommand('python-client', about, 'src/python/svc_emulator.py');
}

/** `svc-emulator go-client`: the package for tests in Go, to be put into a folder of its own in their module. */
export function goClientCommand(): Command {
  const about = 'print the package svctest for tests in Go: svc-emulator go-client --out svctest/svctest.go';
  return sourceCommand('go-client', about, 'src/go/svctest.go');
}

function sourceCommand(name: string, about: string, file: string): Command {
  return new Command(name)
    .description(about)
    .option(...OUT)
    .action(({ out }: { out?: string }) => writeOut(out, readFileSync(path.join(packageFolder(), file), 'utf8')));
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
