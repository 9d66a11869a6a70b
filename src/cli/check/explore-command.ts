import { Command, Option } from 'commander';
import type { ExploreReport } from '../../check/app/explore-report.ts';
import { addRunFlags, addSearchFlags, mergeCommand, readNumber } from '../config-flags.ts';
import { CommandEnd, EXIT } from '../process-end.ts';
import { asJson, OUT, readReports, writeOut } from '../report-files.ts';

const NOTES = `
Each run of the command has an emulator of its own, and sees what exec gives, SVC_EXPLORE=1, PORT (a free one; {port} in a
text is replaced by it) and SVC_EXPLORE_DIR (an empty folder). Exit code 0: nothing found; 1: findings; 2: wrong use, or a
story that fails by itself; 3: too few schedules; 70: an inner fault of explore; 127: no such command. docs/explore.md has
the rest.`;

/** `svc-emulator explore -- COMMAND`: runs a story again and again, each time with the service behaving otherwise. */
export function exploreCommand(): Command {
  const command = new Command('explore')
    .usage('[options] -- command [arguments]')
    .description('find the bugs of an integration: run a command under everything that the service may do')
    .argument('<command...>', 'what to run, such as your tests; it has to pass');
  addSearchFlags(command, ['start', 'ready', 'probe', 'mask', 'check'])
    .option('--bound <number>', 'how many deviations a scenario has at most, 1 to 3 (default: 2)', readNumber)
    .option('--budget <span>', 'how long it goes on, such as 30s or 5m; 0: until nothing is left (default: 60s)')
    .option('--schedules <number>', 'how many scenarios at most', readNumber)
    .option('--min-schedules <number>', 'exit code 3 if fewer scenarios were tried (default: 1)', readNumber)
    .option('--stop-after <number>', 'ends after so many findings', readNumber);
  addSearchFlags(command, ['only', 'skip'])
    .option('--beyond-contract', 'tries what the specification does not promise too')
    .option('--strict-spend', 'judges spend and state also where no app could have saved them')
    .option('--replay <token>', 'runs the scenario of a finding again')
    .option('--no-saved', 'neither tries nor keeps earlier findings');
  const more = ['slow', 'seed', 'jobs', 'shard', 'expectFailure', 'allow', 'report'] as const;
  addSearchFlags(command, more);
  addRunFlags(command)
    .addHelpText('after', NOTES)
    .action(async (words, flags) => {
      const { runExplore } = await import('./explore-run.ts');
      await runExplore(words, flags, command);
    });
  const addOut = (merge: Command) => merge.option(...OUT).addOption(new Option('--output <file>').hideHelp());
  return command.addCommand(mergeCommand(addOut, mergeFiles));
}

async function mergeFiles(files: string[], { output, out = output }: { output?: string; out?: string }): Promise<void> {
  const { mergeReports } = await import('../../check/app/merge-reports.ts');
  const merged = mergeReports(readReports('explore', files, readReport));
  writeOut(out, asJson(merged));
  if (merged.error) throw new CommandEnd(merged.error.exit_code, merged.error.message);
  if (merged.findings.length > 0) throw new CommandEnd(EXIT.failure);
}

function readReport(json: unknown): ExploreReport | undefined {
  return typeof Object(json).schedules_hash === 'string' ? (json as ExploreReport) : undefined;
}
