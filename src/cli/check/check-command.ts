import { Command, Option } from 'commander';
import { addRunFlags, gathered, gatheredNames, readNumber } from '../config-flags.ts';

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
    .argument('[words...]', 'parts, and behind -- the command that runs your tests')
    .option('--budget <span>', 'for the whole run, such as 90s or 10m; 0: until nothing is left (default: 5m)')
    .option(
      '--only <name>',
      'these scenarios, lies or families alone; with * (repeatable, or with commas)',
      gatheredNames,
    )
    .option('--skip <name>', 'leaves these out (repeatable, or with commas)', gatheredNames)
    .option('--all', 'lies of content and form too, beside money, security and work')
    .option('--start <command>', 'an app that runs beside the tests, and is killed and started again')
    .option('--ready <url>', 'the address that answers 2xx when the app is ready')
    .option('--probe <command>', "prints the app's own state as JSON at the end of each run")
    .option('--mask <key>', 'a field of the probe that is not compared (repeatable)', gathered)
    .option('--assert <command>', 'decides at the end of each run; the account is on its standard input')
    .option('--receiver <url>', 'a webhook receiver of this machine that is to be tried')
    .option('--secret-env <name>', 'the variable that holds its signing secret')
    .option('--against <url>', 'the base URL of the real service, which is asked what costs nothing')
    .option('--key-env <name>', 'the variable that holds its API key')
    .option('--key-file <file>', 'the file that holds its API key')
    .option('--from <file>', 'recorded answers of the real service: a HAR, an NDJSON or a trace')
    .option('--slow <seconds>', 'how long a slow answer is held at most (default: 10)', readNumber)
    .option('--seed <number>', 'makes keys, names and the order repeatable (default: 1)', readNumber)
    .option('--jobs <number>', 'runs at the same time (default: cores)', readNumber)
    .option('--shard <I/N>', "this machine's part of the plan")
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
  return command.addCommand(mergeCommand());
}

/** What a report is held to, and where it is written: of the merge of all shards too. */
function addGates(command: Command): Command {
  return command
    .option('--require <numbers>', 'statements that must be held, such as 1,2,5 (repeatable)', gatheredNames)
    .option(
      '--min <family=n>',
      'ends with 1 where fewer in a hundred lies were caught, as money=90 (repeatable)',
      gathered,
    )
    .option('--max-brittle <number>', 'how many tests may fail under a change that is allowed (default: 0)', readNumber)
    .option('--expect-failure <pattern>', 'the tests may fail under this deviation (repeatable)', gathered)
    .option('--allow <code>', 'lets a code of the verdict pass, such as paid_again (repeatable)', gathered)
    .option(
      '--baseline <file>',
      'spend and findings that are known or accepted (default: svc-check.json where it exists)',
    )
    .option('--update-baseline', 'writes the baseline anew')
    .option('--report <file>', 'writes the report: .json, .html, .md, .xml (JUnit) or .sarif (repeatable)', gathered);
}

/** `svc-emulator check merge FILE…`: one report of the JSON reports of all shards. */
function mergeCommand(): Command {
  const command = new Command('merge')
    .description('make one report of the JSON reports of all shards, and judge it')
    .argument('<file...>', 'JSON reports of one check');
  return addGates(command).action(async (files) => {
    const { mergeChecks } = await import('./check-run.ts');
    // The command above it has the same flags, and takes them wherever they are written.
    await mergeChecks(files, command.optsWithGlobals());
  });
}
