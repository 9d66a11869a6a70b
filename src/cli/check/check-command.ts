import { Command } from 'commander';
import { addEmulatorFlags, appendNames, appendValue, parseNumber } from '../config-flags.ts';

type Reading = (text: string, earlier: string[] | undefined) => unknown;

const FLAGS = {
  start: ['--start <command>', 'run this app next to the tests; check kills and restarts it'],
  ready: ['--ready <url>', 'wait at most 45 s until this URL returns 2xx or 3xx'],
  assert: [
    '--assert <command>',
    'run this command after each test run, with charges, jobs and balances as JSON on standard input',
  ],
  budget: ['--budget <span>', 'stop after this time, such as 90s or 10m; 0 runs the whole plan (default: 5m)'],
  only: ['--only <name>', 'try only these checks or faults; * matches any text (repeatable)', appendNames],
  skip: ['--skip <name>', 'skip these checks or faults (repeatable)', appendNames],
  seed: ['--seed <number>', 'make keys, names and the order of runs repeatable (default: 1)', parseNumber],
  jobs: ['--jobs <number>', 'limit parallel runs (default: number of cores)', parseNumber],
  shard: ['--shard <I/N>', 'run one part of the plan, such as 1/3'],
  require: ['--require <id>', 'fail unless these checks pass (repeatable)', appendNames],
  baseline: ['--baseline <file>', 'read known and accepted findings from this file (default: svc-check.json)'],
  updateBaseline: ['--update-baseline', 'write the results to the --baseline file'],
  report: ['--report <file>', 'write a report as .json, .html, .md or .xml (JUnit); repeatable', appendValue],
  replay: ['--replay <token>', 'try to reproduce this finding; exit with code 1 if it occurs'],
  trace: ['--trace <file>', 'write the run of --replay as one HTML page'],
  prove: ['--prove <token>', 'exit with code 0 if this finding occurs at --base but not in the current code'],
  base: ['--base <ref>', 'set the commit without the fix, for --prove'],
  install: ['--install <command>', 'prepare the --base commit with this command, such as npm ci'],
} satisfies Record<string, readonly [flag: string, help: string, read?: Reading]>;

type FlagName = keyof typeof FLAGS;

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
Each run gets its own emulator. The command sees the variables of exec, SVC_CHECK=1, PORT (also as {port} in --start and
--ready) and SVC_CHECK_DIR, an empty folder.

Exit codes: 0 if no check failed and all of --require passed, 1 otherwise, 2 on incorrect usage or if the command fails by
itself, 3 if less than half of the plan was tried or a failure was not confirmed, 70 on an internal error, 127 if the
command does not exist, 130 after Ctrl-C, with the report written.

A running emulator explains the checks at /docs/check.md.`;

export function createCheckCommand(): Command {
  const command = new Command('check')
    .usage('[options] -- command [arguments]')
    .description('run your tests under faults that the contract allows, and report what breaks')
    .argument('[words...]', 'the command that runs your tests');
  addFlags(command.optionsGroup('What to try:'), ['budget', 'only', 'skip', 'jobs', 'shard', 'seed']);
  addFlags(command.optionsGroup('Your application:'), ['start', 'ready', 'assert']);
  addFlags(command.optionsGroup('Result:'), REPORT);
  addFlags(command.optionsGroup('One finding:'), ['replay', 'trace', 'prove', 'base', 'install']);
  addEmulatorFlags(command)
    .addHelpText('after', CHECK_NOTES)
    .action(async (_words, flags) => {
      const { runCheck } = await import('./run-check.ts');
      await runCheck(flags, command);
    });
  const merge = new Command('merge')
    .description('merge the JSON reports of all shards into one report')
    .argument('<file...>', 'the JSON reports to merge');
  // Reads the flags with `optsWithGlobals`, because the parent command has the same flags and takes them in any
  // position.
  addFlags(merge, REPORT).action(async (files) => {
    const { mergeReportFiles } = await import('./run-check.ts');
    await mergeReportFiles(files, merge.optsWithGlobals());
  });
  return command.addCommand(merge);
}
