import { Command, InvalidArgumentError, Option } from 'commander';
import { EVENT_TYPES } from '../../engine/webhooks/event-schemas.ts';
import { addRunFlags, gathered, gatheredNames, readNumber } from '../config-flags.ts';

type Reading = (text: string, earlier: string[] | undefined) => unknown;

/** What check and its parts take, each once. */
const FLAGS = {
  start: ['--start <command>', 'run an app next to the tests, which is killed and restarted'],
  ready: ['--ready <url>', 'the address that answers 2xx when the app is ready'],
  assert: ['--assert <command>', 'judge the end of each run; the account is JSON on its standard input'],
  budget: ['--budget <span>', 'time limit, such as 90s or 10m; 0: until nothing is left (default: 5m)'],
  only: ['--only <name>', 'try these checks, faults, violations or families alone; with * (repeatable)', gatheredNames],
  skip: ['--skip <name>', 'leave these out (repeatable, or with commas)', gatheredNames],
  seed: ['--seed <number>', 'make keys, names and the order repeatable (default: 1)', readNumber],
  jobs: ['--jobs <number>', 'runs at the same time (default: cores)', readNumber],
  shard: ['--shard <I/N>', "this machine's part of the plan"],
  require: ['--require <id>', 'fail unless these checks passed (repeatable, or with commas)', gatheredNames],
  baseline: ['--baseline <file>', 'what is known from the last run, and accepted (default: svc-check.json)'],
  updateBaseline: ['--update-baseline', 'write the baseline'],
  report: ['--report <file>', 'write the report: .json, .html, .md or .xml (JUnit) (repeatable)', gathered],
  replay: ['--replay <token>', 'run one finding alone; exit code 1 if it occurs again'],
  trace: ['--trace <file>', 'with --replay: write the run as one HTML page'],
  prove: ['--prove <token>', 'exit with 0 only if a finding occurs on --base and not here'],
  base: ['--base <ref>', 'with --prove: the commit on which it occurs'],
  install: ['--install <command>', 'with --prove: make that commit ready to run, such as npm ci'],
  timeout: ['--timeout <seconds>', 'what one answer may take, 0.5 to 30 (default: 10)', readSeconds],
  remote: ['--remote', 'also try a receiver at a public https address'],
  json: ['--json', 'print JSON, for a script'],
  junit: ['--junit <file>', 'also write JUnit XML, for CI'],
  card: ['--trace <file>', 'also write the card as one HTML page, to be shared'],
} satisfies Record<string, readonly [flag: string, help: string, read?: Reading]>;

type FlagName = keyof typeof FLAGS;

/** What a report is held to, and where it is written: of the merge of all shards too. */
const REPORT: readonly FlagName[] = ['require', 'baseline', 'updateBaseline', 'report'];

function addFlags(command: Command, names: readonly FlagName[]): Command {
  for (const name of names) {
    const [flag, help, read]: readonly [string, string, Reading?] = FLAGS[name];
    if (read) command.option(flag, help, read as (text: string, earlier: unknown) => unknown);
    else command.option(flag, help);
  }
  return command;
}

const CHECK_NOTES = `
Each run of the command has an emulator of its own. It sees what exec gives, SVC_CHECK=1, PORT ({port} in a text is replaced
by it) and SVC_CHECK_DIR (an empty folder).
Exit codes: 0 no check failed and all of --require passed; 1 otherwise; 2 wrong use, or the command fails by itself; 3 less
than half of the plan was measured; 70 internal error; 127 no such command; 130 interrupted, with the report written.
docs/check.md has more.`;

/** `svc-emulator check -- COMMAND`: says which promises of an integration hold, in fourteen checks. */
export function checkCommand(): Command {
  const command = new Command('check')
    .usage('[options] -- command [arguments]')
    .description('run your tests while the service does what it may, and what it must never do')
    .argument('[words...]', 'behind -- the command that runs your tests');
  addFlags(command, ['budget', 'only', 'skip', 'start', 'ready', 'assert', 'require', 'baseline', 'updateBaseline']);
  addFlags(command, ['replay', 'trace', 'prove', 'base', 'install', 'report', 'jobs', 'shard', 'seed']);
  addRunFlags(command)
    .addHelpText('after', CHECK_NOTES)
    .action(async (_words, flags) => {
      const { runCheck } = await import('./run-check.ts');
      await runCheck(flags, command);
    });
  const merge = new Command('merge')
    .description('make one report of the JSON reports of all shards, and judge it')
    .argument('<file...>', 'JSON reports of one run');
  // The command above it has the same flags, and takes them wherever they are written.
  addFlags(merge, REPORT).action(async (files) => {
    const { mergeChecks } = await import('./run-check.ts');
    await mergeChecks(files, merge.optsWithGlobals());
  });
  return command.addCommand(merge);
}

const VERIFY_NOTES = `
Exit codes: 0 when every check passes, 1 when one does not, 2 on wrong use.`;

/** `svc-emulator verify URL`: a report card for a webhook receiver; needs no emulator that runs. */
export function verifyCommand(): Command {
  const secret = new Option('--secret <whsec>', 'the secret that it verifies with').env('SVC_WEBHOOK_SECRET');
  const events = new Option('--events <types...>', 'the event types it is to be ready for (default: all)');
  const command = new Command('verify')
    .description('try a webhook receiver with what will happen in production')
    .argument('<url>', 'the URL of a receiver on this machine')
    .addOption(secret.makeOptionMandatory())
    .addOption(events.choices(EVENT_TYPES));
  return addFlags(command, ['timeout', 'remote', 'json', 'junit', 'card'])
    .addHelpText('after', VERIFY_NOTES)
    .action(async (url, flags) => {
      const { runVerify } = await import('./verify-run.ts');
      await runVerify(url, flags);
    });
}

function readSeconds(text: string): number {
  const seconds = Number(text);
  if (text.trim() !== '' && seconds >= 0.5 && seconds <= 30) return seconds;
  throw new InvalidArgumentError('It must be a number of seconds from 0.5 to 30.');
}
