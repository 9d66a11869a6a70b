import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Command, Option } from 'commander';
import { readPlainFileBytes } from '../base/files/plain-file.ts';
import { packageFolder } from '../base/package/package-folder.ts';
import { describeSystemError } from '../base/system-error.ts';
import type { ComparedOperation, Comparison } from '../control/compare/compare-har.ts';
import { OPENAPI_VERSIONS } from '../control/openapi/json-schema.ts';
import { CommandError, EXIT_CODES, usageError } from './process-end.ts';
import {
  OUT_OPTION,
  prettyJson,
  requireWritableOutput,
  writeOutputOrThrow,
  writeToFileOrStdout,
} from './report-files.ts';
import { print } from './terminal-output.ts';

interface OpenapiFlags {
  control?: boolean;
  out?: string;
  as: (typeof OPENAPI_VERSIONS)[number];
}

export function createOpenapiCommand(): Command {
  return new Command('openapi')
    .description('print the OpenAPI document of the service')
    .option('--control', 'print the document of the control operations instead')
    .addOption(
      new Option('--as <version>', 'write the document in this version of OpenAPI')
        .choices(OPENAPI_VERSIONS)
        .default('3.1'),
    )
    .option(...OUT_OPTION)
    .action(async (flags: OpenapiFlags) => {
      const { readShippedCatalogue } = await import('../engine/catalogue/catalogue.ts');
      const { OpenapiDocuments } = await import('../control/openapi/openapi-document.ts');
      const documents = new OpenapiDocuments(readShippedCatalogue());
      const document = flags.control ? await documents.control(flags.as) : documents.service(flags.as);
      writeToFileOrStdout(flags.out, prettyJson(document));
    });
}

export function createPythonClientCommand(): Command {
  const file = path.join(packageFolder(), 'src/client/python/svc_emulator.py');
  return new Command('python-client')
    .description('print the pytest plugin, which belongs next to your tests')
    .option(...OUT_OPTION)
    .action(({ out }: { out?: string }) => writeToFileOrStdout(out, readFileSync(file, 'utf8')));
}

const NO_MATCH = 3;

export function createCompareCommand(): Command {
  return new Command('compare')
    .description('compare a recording of the real service with the emulator')
    .argument('<file>', 'a HAR file of at most 50 MiB')
    .option('--report <file>', 'write the result as JSON to this file')
    .addHelpText(
      'after',
      '\nExit code: 0 if every entry fits, 1 if something differs, 2 if the file cannot be read,\n3 if no entry can be compared.',
    )
    .action(compare);
}

async function compare(file: string, { report }: { report?: string }): Promise<void> {
  const { compareHar } = await import('../control/compare/compare-har.ts');
  const { decodeText, MAX_HAR_MIB, parseHar } = await import('../control/compare/read-har.ts');
  if (report !== undefined) requireWritableOutput('--report', report);
  let comparison: Comparison;
  try {
    comparison = compareHar(parseHar(decodeText(readPlainFileBytes(file, MAX_HAR_MIB))));
  } catch (error) {
    throw usageError(`${file} cannot be compared: ${describeSystemError(error)}.`);
  }
  if (report !== undefined) writeOutputOrThrow('--report', report, prettyJson(comparison));
  print(textOf(comparison));
  if (comparison.compared === 0) throw new CommandError(NO_MATCH, nothingCompared(comparison));
  if (comparison.operations.some(({ differences }) => differences.length > 0))
    throw new CommandError(EXIT_CODES.failure);
}

function nothingCompared({ skipped }: Comparison): string {
  return skipped.not_recorded > 0
    ? 'The HAR does not contain the bodies of its requests to the service. Record it with content.'
    : 'No entry of the HAR is a request to /v1 of the service.';
}

function textOf({ entries, compared, skipped, operations }: Comparison): string {
  const head = `${entries === 1 ? '1 entry' : `${entries} entries`}, ${compared} compared (${skipped.other_path} of other paths, ${skipped.no_response} without a response, ${skipped.not_recorded} not recorded)`;
  return `${[head, ...operations.flatMap(linesOf)].join('\n')}\n`;
}

function linesOf({ method, path, entries, fit, not_recorded, differences }: ComparedOperation): string[] {
  const missing = not_recorded === 0 ? '' : `, ${not_recorded} not recorded`;
  const head = `${method} ${path}: ${fit} of ${entries} fit${missing}`;
  return [
    head,
    ...differences.map(({ kind, where, note, entries: count, first }) => {
      const times = count === 1 ? `entry ${first}` : `${count} entries, first ${first}`;
      return `  ${kind.padEnd(8)}${where === '' ? '' : `${where}: `}${note} (${times})`;
    }),
  ];
}
