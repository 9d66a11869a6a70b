import { Command, InvalidArgumentError, Option } from 'commander';
import { addRunFlags, addSearchFlags, gathered, gatheredNames, mergeCommand, readNumber } from '../config-flags.ts';

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

const MUTATE_NOTES = `
Each run of the command has an emulator of its own, and sees what exec gives, SVC_MUTATE=1, CI=1 unless it is set, PORT (a
free one; {port} in a text is replaced by it) and SVC_MUTATE_DIR (an empty folder). Exit code 0: measured, and every gate
held; 1: a gate or the baseline is broken; 2: wrong use, or the command fails by itself; 3: nothing, or less than half of the
plan, was measured; 127: no such command. More: docs/mutate.md.`;

/** `svc-emulator mutate -- COMMAND`: runs a suite again while the service lies, and reports what no test notices. */
export function mutateCommand(): Command {
  const command = new Command('mutate')
    .usage('[options] -- command [arguments]')
    .description('find the holes of a test suite: run it while the service lies, and see which lies no test notices')
    .argument('<command...>', 'the suite: a command that passes');
  addSearchFlags(command, ['start', 'ready', 'probe', 'mask', 'check', 'only', 'skip', 'all', 'budget'])
    .option('--lie <name>', 'this lie alone, such as refund.none or refund.none@SITE')
    .option('--trace <file>', 'with --lie: writes the run as one HTML page')
    .option('--trust', 'makes one baseline run instead of three')
    .option('--all-units', 'tries a lie at every test that meets it, also where one has noticed it')
    .option('--one-by-one', 'one lie a run, also where the fixtures report tests');
  addMutateGates(addSearchFlags(command, ['seed', 'jobs', 'shard']));
  addRunFlags(command)
    .addHelpText('after', MUTATE_NOTES)
    .action(async (words, flags) => {
      const { runMutate } = await import('./mutate-run.ts');
      await runMutate(words, flags);
    });
  const merge = mergeCommand(addMutateGates, async (files, flags) => {
    const { judgeMerged } = await import('./mutate-run.ts');
    await judgeMerged(files, flags);
  });
  return command.addCommand(merge);
}

/** What a measurement is held to, and where it is written: of the merge of all shards too. */
function addMutateGates(command: Command): Command {
  return addSearchFlags(command, ['min', 'maxBrittle', 'baseline', 'updateBaseline', 'report']);
}

const DRIFT_NOTES = `
The key is read from a variable or a file, and is in nothing that is written. What drift makes is named
svc-emulator-drift-… and deleted, also after Ctrl-C. Exit code 0: nothing differs against a rule; 1: something does (with
--strict: also against a choice, or new); 2: wrong use; 3: nothing, or less than half of the plan, was measured.
docs/drift.md has more.`;

/** `svc-emulator drift`: compares the emulator with the service, or with what was measured of it. */
export function driftCommand(): Command {
  return new Command('drift')
    .description('compare the emulator with the real service, and name the rule or choice of each difference')
    .option('--against <url>', 'the base URL of the service: https, or this machine')
    .option('--key-env <name>', 'the variable that holds the API key')
    .option('--key-file <file>', 'the file that holds the API key')
    .option('--budget <credits>', 'credits that may be spent (default: 0)', readCredits)
    .option('--plan', 'prints the plan and its prices, and sends nothing')
    .option('--pace <seconds>', 'between two requests (default: 1)', readNumber)
    .option('--strict', 'ends with 1 for differences of choices, and for new ones, too')
    .option('--shapes <file>', 'writes what was measured, without any value')
    .option('--check <file>', 'compares with the shapes of such a file, without a network')
    .option('--from <file>', 'compares with recorded answers: a HAR, an NDJSON or a trace')
    .option('--used <file>', 'a trace or a journal: what its client never meets is information only')
    .option('--report <file>', 'writes the report: .json, .html, .md, .xml (JUnit) or .sarif (repeatable)', gathered)
    .addHelpText('after', DRIFT_NOTES)
    .action(async (flags) => {
      const { runDrift } = await import('./drift-run.ts');
      await runDrift(flags);
    });
}

function readCredits(text: string): number {
  const credits = readNumber(text);
  if (Number.isSafeInteger(credits) && credits >= 0) return credits;
  throw new InvalidArgumentError('It must be a whole number of credits, 0 or more.');
}
