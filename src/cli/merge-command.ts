import { readFileSync, writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { type ExploreReport, mergeReports } from '../explore/explore-report.ts';
import { CommandEnd } from './command-end.ts';
import { EXIT } from './command-failure.ts';

/** `svc-emulator explore merge FILE…`: one report of the JSON reports of all shards. */
export function mergeCommand(): Command {
  return new Command('merge')
    .description('make one report of the JSON reports of all shards')
    .argument('<file...>', 'JSON reports of one search')
    .option('--output <file>', 'where it is written (default: standard output)')
    .action((files: string[], { output }: { output?: string }) => {
      const merged = mergedOf(files.map(readReport));
      const text = `${JSON.stringify(merged, null, 2)}\n`;
      if (output === undefined) process.stdout.write(text);
      else write(output, text);
      if (merged.error) throw new CommandEnd(merged.error.exit_code, merged.error.message);
      if (merged.findings.length > 0) throw new CommandEnd(EXIT.failure);
    });
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new CommandEnd(EXIT.wrongUse, `--output is ${file}, which cannot be written: ${Object(error).message}.`);
  }
}

function mergedOf(reports: readonly ExploreReport[]): ExploreReport {
  try {
    return mergeReports(reports);
  } catch (error) {
    throw new CommandEnd(EXIT.wrongUse, Object(error).message);
  }
}

function readReport(file: string): ExploreReport {
  try {
    const report: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof Object(report).schedules_hash === 'string') return report as ExploreReport;
  } catch {
    // It is said below.
  }
  throw new CommandEnd(EXIT.wrongUse, `${file} is no report; expected a JSON file that explore --report wrote.`);
}
