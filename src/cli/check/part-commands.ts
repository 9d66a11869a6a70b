import { Command, InvalidArgumentError, Option } from 'commander';
import type { LieRow } from '../../control/lies/lie-table.ts';
import { EVENT_TYPES } from '../../engine/webhooks/event-schemas.ts';
import { addRunFlags, gathered, gatheredNames, readNumber } from '../config-flags.ts';
import { print, type RemoteFlags, remoteCommand } from '../remote.ts';
import { OUT } from '../report-files.ts';

type Reading = (text: string, earlier: string[] | undefined) => unknown;

/** What check and its parts take, each once. */
const FLAGS = {
  start: ['--start <command>', 'an app that runs beside the command, and is killed and started again'],
  ready: ['--ready <url>', 'the address that answers 2xx when the app is ready'],
  probe: ['--probe <command>', "prints the app's own state as JSON at the end of each run"],
  mask: ['--mask <key>', 'a field of the probe that is not compared (repeatable)', gathered],
  assert: ['--assert <command>', 'decides at the end of each run; the account is on its standard input'],
  check: ['--check <command>', 'decides at the end of each run; the account is on its standard input'],
  budget: ['--budget <span>', 'how long it goes on, such as 90s or 10m; 0: until nothing is left (default: 5m)'],
  shortBudget: ['--budget <span>', 'how long it goes on, such as 30s or 5m; 0: until nothing is left (default: 60s)'],
  only: ['--only <name>', 'tries these names or families alone; with * (repeatable, or with commas)', gatheredNames],
  skip: ['--skip <name>', 'leaves these out (repeatable, or with commas)', gatheredNames],
  all: ['--all', 'tries lies of content and form too, beside money, security and work'],
  slow: ['--slow <seconds>', 'how long a slow answer is held at most (default: 10)', readNumber],
  seed: ['--seed <number>', 'makes keys, names and the order repeatable (default: 1)', readNumber],
  jobs: ['--jobs <number>', 'runs at the same time (default: cores)', readNumber],
  shard: ['--shard <I/N>', "this machine's part of the plan"],
  require: ['--require <numbers>', 'statements that must be held, such as 1,2,5 (repeatable)', gatheredNames],
  expectFailure: ['--expect-failure <pattern>', 'the tests may fail under this deviation (repeatable)', gathered],
  allow: ['--allow <code>', 'lets a code of the verdict pass, such as paid_again (repeatable)', gathered],
  min: ['--min <family=n>', 'ends with 1 where fewer in a hundred were caught, as money=90 (repeatable)', gathered],
  maxBrittle: ['--max-brittle <number>', 'how many tests may fail under what the contract allows', readNumber],
  baseline: ['--baseline <file>', 'what is known from before, or accepted; what is new ends with 1'],
  updateBaseline: ['--update-baseline', 'writes the baseline anew'],
  report: ['--report <file>', 'writes the report: .json, .html, .md, .xml (JUnit) or .sarif (repeatable)', gathered],
  receiver: ['--receiver <url>', 'a webhook receiver of this machine that is to be tried'],
  secretEnv: ['--secret-env <name>', 'the variable that holds its signing secret'],
  again: ['--again <token>', 'one finding or one surviving lie alone; exit code 1 where it is there again'],
  trace: ['--trace <file>', 'of the one finding or lie that is run alone: writes the run as one HTML page'],
  prove: ['--prove <token>', 'whether a finding was there on --base and is gone here; exit code 0 only then'],
  base: ['--base <ref>', 'with --prove: the commit on which it failed'],
  install: ['--install <command>', 'with --prove: what makes that commit ready to run, such as npm ci'],
  bound: ['--bound <number>', 'how many deviations a scenario has at most, 1 to 3 (default: 2)', readNumber],
  schedules: ['--schedules <number>', 'how many scenarios at most', readNumber],
  minSchedules: ['--min-schedules <number>', 'exit code 3 if fewer scenarios were tried (default: 1)', readNumber],
  stopAfter: ['--stop-after <number>', 'ends after so many findings', readNumber],
  beyondContract: ['--beyond-contract', 'tries what the specification does not promise too'],
  strictSpend: ['--strict-spend', 'judges spend and state also where no app could have saved them'],
  replay: ['--replay <token>', 'runs the scenario of a finding again'],
  noSaved: ['--no-saved', 'neither tries nor keeps earlier findings'],
  lie: ['--lie <name>', 'this lie alone, such as refund.none or refund.none@SITE'],
  trust: ['--trust', 'makes one baseline run instead of three'],
  allUnits: ['--all-units', 'tries a lie at every test that meets it, also where one has noticed it'],
  oneByOne: ['--one-by-one', 'one lie a run, also where the fixtures report tests'],
  against: ['--against <url>', 'the base URL of the real service: https, or this machine'],
  keyEnv: ['--key-env <name>', 'the variable that holds its API key'],
  keyFile: ['--key-file <file>', 'the file that holds its API key'],
  credits: ['--budget <credits>', 'credits that may be spent (default: 0)', readCredits],
  plan: ['--plan', 'prints the plan and its prices, and sends nothing'],
  pace: ['--pace <seconds>', 'between two requests (default: 1)', readNumber],
  strict: ['--strict', 'ends with 1 for differences of choices, and for new ones, too'],
  shapes: ['--shapes <file>', 'writes what was measured, without any value'],
  checkShapes: ['--check <file>', 'compares with the shapes of such a file, without a network'],
  from: ['--from <file>', 'compares with recorded answers: a HAR, an NDJSON or a trace'],
  used: ['--used <file>', 'a trace or a journal: what its client never meets is information only'],
  timeout: ['--timeout <seconds>', 'what one answer may take, 0.5 to 30 (default: 10)', readSeconds],
  remote: ['--remote', 'also try a receiver at a public https address'],
  json: ['--json', 'print JSON, for a script'],
  junit: ['--junit <file>', 'also write JUnit XML, for CI'],
  card: ['--trace <file>', 'also write the card as one HTML page, to be shared'],
} satisfies Record<string, readonly [flag: string, help: string, read?: Reading]>;

type FlagName = keyof typeof FLAGS;

const APP: readonly FlagName[] = ['start', 'ready', 'probe', 'mask'];
const SERVICE: readonly FlagName[] = ['against', 'keyEnv', 'keyFile', 'from'];
const PART: readonly FlagName[] = ['seed', 'jobs', 'shard'];
/** What a report is held to, and where it is written: of the merge of all shards too. */
const GATES: readonly FlagName[] = ['min', 'maxBrittle', 'baseline', 'updateBaseline', 'report'];
const CHECK_GATES: readonly FlagName[] = ['require', 'expectFailure', 'allow', ...GATES];

function addFlags(command: Command, names: readonly FlagName[]): Command {
  for (const name of names) {
    const [flag, help, read]: readonly [string, string, Reading?] = FLAGS[name];
    if (read) command.option(flag, help, read as (text: string, earlier: unknown) => unknown);
    else command.option(flag, help);
  }
  return command;
}

/** `merge FILE…` of a command: one report of the JSON reports of all shards, held to what `addGates` adds. */
function addMerge(command: Command, addGates: (merge: Command) => Command, run: Merging): Command {
  const merge = new Command('merge')
    .description('make one report of the JSON reports of all shards, and judge it')
    .argument('<file...>', 'JSON reports of one run');
  // The command above it may have the same flags, and takes them wherever they are written.
  addGates(merge).action((files) => run(files, merge.optsWithGlobals()));
  return command.addCommand(merge);
}

type Merging = (files: string[], flags: object) => Promise<void>;

const CHECK_NOTES = `
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
  addFlags(command, ['budget', 'only', 'skip', 'all', ...APP, 'assert', 'receiver', 'secretEnv', ...SERVICE, 'slow']);
  addFlags(command, [...PART, 'again', 'trace', 'prove', 'base', 'install', ...CHECK_GATES]);
  for (const old of ['--check <command>', '--replay <token>', '--lie <name>']) {
    command.addOption(new Option(old).hideHelp());
  }
  addRunFlags(command)
    .addHelpText('after', CHECK_NOTES)
    .action(async (_words, flags) => {
      const { runCheck } = await import('./check-run.ts');
      await runCheck(flags, command);
    });
  return addMerge(
    command,
    (merge) => addFlags(merge, CHECK_GATES),
    async (files, flags) => {
      const { mergeChecks } = await import('./check-run.ts');
      await mergeChecks(files, flags);
    },
  );
}

const EXPLORE_NOTES = `
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
  addFlags(command, [
    ...APP,
    'check',
    'bound',
    'shortBudget',
    'schedules',
    'minSchedules',
    'stopAfter',
    'only',
    'skip',
  ]);
  addFlags(command, ['beyondContract', 'strictSpend', 'replay', 'noSaved', 'slow', ...PART, 'expectFailure', 'allow']);
  addRunFlags(addFlags(command, ['report']))
    .addHelpText('after', EXPLORE_NOTES)
    .action(async (words, flags) => {
      const { runExplore } = await import('./explore-run.ts');
      await runExplore(words, flags, command);
    });
  const addOut = (merge: Command) => merge.option(...OUT).addOption(new Option('--output <file>').hideHelp());
  return addMerge(command, addOut, async (files, flags) => {
    const { mergeExplored } = await import('./explore-run.ts');
    mergeExplored(files, flags);
  });
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
  addFlags(command, [
    ...APP,
    'check',
    'only',
    'skip',
    'all',
    'budget',
    'lie',
    'trace',
    'trust',
    'allUnits',
    'oneByOne',
  ]);
  addRunFlags(addFlags(command, [...PART, ...GATES]))
    .addHelpText('after', MUTATE_NOTES)
    .action(async (words, flags) => {
      const { runMutate } = await import('./mutate-run.ts');
      await runMutate(words, flags);
    });
  return addMerge(
    command,
    (merge) => addFlags(merge, GATES),
    async (files, flags) => {
      const { judgeMerged } = await import('./mutate-run.ts');
      await judgeMerged(files, flags);
    },
  );
}

const DRIFT_NOTES = `
The key is read from a variable or a file, and is in nothing that is written. What drift makes is named
svc-emulator-drift-… and deleted, also after Ctrl-C. Exit code 0: nothing differs against a rule; 1: something does (with
--strict: also against a choice, or new); 2: wrong use; 3: nothing, or less than half of the plan, was measured.
docs/drift.md has more.`;

/** `svc-emulator drift`: compares the emulator with the service, or with what was measured of it. */
export function driftCommand(): Command {
  const command = new Command('drift').description(
    'compare the emulator with the real service, and name the rule or choice of each difference',
  );
  return addFlags(command, [...SERVICE, 'credits', 'plan', 'pace', 'strict', 'shapes', 'checkShapes', 'used', 'report'])
    .addHelpText('after', DRIFT_NOTES)
    .action(async (flags) => {
      const { runDrift } = await import('./drift-run.ts');
      await runDrift(flags);
    });
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

function readCredits(text: string): number {
  const credits = readNumber(text);
  if (Number.isSafeInteger(credits) && credits >= 0) return credits;
  throw new InvalidArgumentError('It must be a whole number of credits, 0 or more.');
}

function readSeconds(text: string): number {
  const seconds = Number(text);
  if (text.trim() !== '' && seconds >= 0.5 && seconds <= 30) return seconds;
  throw new InvalidArgumentError('It must be a number of seconds from 0.5 to 30.');
}

interface LiesFlags extends RemoteFlags {
  explain?: string;
}

/** `svc-emulator lies`: what `mutate` and fault rules can break, a line each; no emulator needs to run. */
export function liesCommand(): Command {
  return remoteCommand('lies', 'print the lies that a fault rule can use, and the assertion that catches each')
    .option('--explain <name>', 'one of them, whole')
    .action(async ({ explain, ...flags }: LiesFlags, command: Command) => {
      const { LIES, lieRow, nearestLie } = await import('../../control/lies/lie-table.ts');
      const rows = LIES.map(publicRow);
      if (explain === undefined) {
        print(flags, { object: 'list', data: rows }, rows.map(lineOf).join('\n'));
        return;
      }
      const row = lieRow(explain);
      if (!row) command.error(`error: ${explain} is no lie. Did you mean ${nearestLie(explain)}?`);
      print(flags, publicRow(row), explained(row));
    });
}

/** As `GET /_emulator/lies` has it. */
function publicRow({ at: _at, words: _words, ...row }: LieRow) {
  return row;
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
