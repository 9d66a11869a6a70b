import { Command } from 'commander';
import { addAppFlags, addRunFlags, gathered, gatheredNames, readNumber } from '../config-flags.ts';

const NOTES = `
Each run of the command has an emulator of its own, and sees what exec gives, SVC_MUTATE=1, CI=1 unless it is set, PORT (a
free one; {port} in a text is replaced by it) and SVC_MUTATE_DIR (an empty folder). Exit code 0: measured, and every gate
held; 1: a gate or the baseline is broken; 2: wrong use, or the command fails by itself; 3: nothing, or less than half of the
plan, was measured; 127: no such command. More: docs/mutate.md.`;

/** `svc-emulator mutate -- COMMAND`: runs a suite again while the service lies, and reports what no test notices. */
export function mutateCommand(): Command {
  const command = new Command('mutate')
    .usage('[options] -- command [arguments]')
    .description('find the holes of a test suite: run it while the service lies, and see which lies no test notices')
    .argument('<command...>', 'the suite: a command that passes')
    .option('--start <command>', 'an app that runs beside the suite');
  addAppFlags(command)
    .option('--only <name>', 'tries this lie or family alone, such as money or refund.* (repeatable)', gatheredNames)
    .option('--skip <name>', 'leaves this lie or family out (repeatable)', gatheredNames)
    .option('--all', 'tries content and form too, beside money, security and work')
    .option('--lie <name>', 'this lie alone, such as refund.none or refund.none@SITE')
    .option('--trace <file>', 'with --lie: writes the run as one HTML page')
    .option('--trust', 'makes one baseline run instead of three')
    .option('--budget <span>', 'how long it goes on, such as 90s or 10m; 0: until nothing is left (default: 5m)')
    .option('--seed <number>', 'makes keys, names and what is drawn repeatable (default: 1)', readNumber)
    .option(
      '--jobs <number>',
      'runs at the same time (default: cores where the fixtures report tests, else 1)',
      readNumber,
    )
    .option('--shard <I/N>', "this machine's part of the lies")
    .option('--all-units', 'tries a lie at every test that meets it, also where one has noticed it')
    .option('--one-by-one', 'one lie a run, also where the fixtures report tests');
  addGates(command);
  addRunFlags(command)
    .addHelpText('after', NOTES)
    .action(async (words, flags) => {
      const { runMutate } = await import('./mutate-run.ts');
      await runMutate(words, flags);
    });
  return command.addCommand(mergeCommand());
}

/** What a measurement is held to, and where it is written: of the merge of all shards too. */
function addGates(command: Command): Command {
  return command
    .option(
      '--min <family=n>',
      'ends with 1 where fewer in a hundred were noticed, such as money=90 (repeatable)',
      gathered,
    )
    .option('--max-brittle <number>', 'ends with 1 where more tests fail under what the contract allows', readNumber)
    .option('--baseline <file>', 'what was measured before: what it knows is remembered, a new survivor ends with 1')
    .option('--update-baseline', 'writes the baseline anew')
    .option('--report <file>', 'writes the report: .json, .xml (JUnit), .html, .sarif or .md (repeatable)', gathered);
}

/** `svc-emulator mutate merge FILE…`: one report of the JSON reports of all shards, which the gates judge. */
function mergeCommand(): Command {
  const command = new Command('merge')
    .description('make one report of the JSON reports of all shards, and judge it')
    .argument('<file...>', 'JSON reports of one measurement');
  return addGates(command).action(async (files) => {
    const { judgeMerged } = await import('./mutate-run.ts');
    // The command above it has the same flags, and takes them wherever they are written.
    await judgeMerged(files, command.optsWithGlobals());
  });
}
