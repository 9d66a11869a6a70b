import { Command, Option } from 'commander';
import { addRunFlags, addSearchFlags, gatheredNames, mergeCommand } from '../config-flags.ts';

const NOTES = `
Parts: app (does the application cope with what the service may do?), tests (do the tests notice what the service must never
do?), spend (did it cost what it cost last time, and did the client behave?), receiver (with --receiver), service (with
--against or --from). Without a part: app, tests and spend, and the others where their options are given. The command sees
what exec gives, SVC_EXPLORE=1, SVC_MUTATE=1, PORT ({port} in a text is replaced by it) and SVC_EXPLORE_DIR (an empty folder).
Exit codes: 0 no statement is broken and all of --require are held; 1 otherwise; 2 wrong use, or the command fails by itself;
3 nothing, or less than half, was measured; 70 a fault of the program; 127 no such command; 130 after Ctrl-C, with the report.
docs/check.md has more.`;

/** `svc-emulator check [PART…] -- COMMAND`: says what would go wrong, in fifteen statements, each with its evidence. */
export function checkCommand(): Command {
  const command = new Command('check')
    .usage('[part...] [options] -- command [arguments]')
    .description(
      'say what would go wrong: run your tests while the service does what it may, and what it must never do',
    )
    .argument('[words...]', 'parts, and behind -- the command that runs your tests');
  addSearchFlags(command, ['budget', 'only', 'skip', 'all', 'start', 'ready', 'probe', 'mask', 'assert'])
    .option('--receiver <url>', 'a webhook receiver of this machine that is to be tried')
    .option('--secret-env <name>', 'the variable that holds its signing secret')
    .option('--against <url>', 'the base URL of the real service, which is asked what costs nothing')
    .option('--key-env <name>', 'the variable that holds its API key')
    .option('--key-file <file>', 'the file that holds its API key')
    .option('--from <file>', 'recorded answers of the real service: a HAR, an NDJSON or a trace');
  addSearchFlags(command, ['slow', 'seed', 'jobs', 'shard'])
    .option('--again <token>', 'one finding or one surviving lie alone; exit code 1 where it is there again')
    .option('--trace <file>', 'with --again: writes the run as one HTML page')
    .option('--prove <token>', 'whether a finding was there on --base and is gone here; exit code 0 only then')
    .option('--base <ref>', 'with --prove: the commit on which it failed')
    .option('--install <command>', 'with --prove: what makes that commit ready to run, such as npm ci');
  for (const old of ['--check <command>', '--replay <token>', '--lie <name>']) {
    command.addOption(new Option(old).hideHelp());
  }
  addGates(command);
  addRunFlags(command)
    .addHelpText('after', NOTES)
    .action(async (_words, flags) => {
      const { runCheck } = await import('./check-run.ts');
      await runCheck(flags, command);
    });
  const merge = mergeCommand(addGates, async (files, flags) => {
    const { mergeChecks } = await import('./check-run.ts');
    await mergeChecks(files, flags);
  });
  return command.addCommand(merge);
}

/** What a report is held to, and where it is written: of the merge of all shards too. */
function addGates(command: Command): Command {
  command.option('--require <numbers>', 'statements that must be held, such as 1,2,5 (repeatable)', gatheredNames);
  return addSearchFlags(command, [
    ...(['min', 'maxBrittle', 'expectFailure', 'allow', 'baseline', 'updateBaseline', 'report'] as const),
  ]);
}
