import { Command } from 'commander';
import { addRunFlags, addSearchFlags, mergeCommand } from '../config-flags.ts';

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
    .argument('<command...>', 'the suite: a command that passes');
  addSearchFlags(command, ['start', 'ready', 'probe', 'mask', 'check', 'only', 'skip', 'all', 'budget'])
    .option('--lie <name>', 'this lie alone, such as refund.none or refund.none@SITE')
    .option('--trace <file>', 'with --lie: writes the run as one HTML page')
    .option('--trust', 'makes one baseline run instead of three')
    .option('--all-units', 'tries a lie at every test that meets it, also where one has noticed it')
    .option('--one-by-one', 'one lie a run, also where the fixtures report tests');
  addGates(addSearchFlags(command, ['seed', 'jobs', 'shard']));
  addRunFlags(command)
    .addHelpText('after', NOTES)
    .action(async (words, flags) => {
      const { runMutate } = await import('./mutate-run.ts');
      await runMutate(words, flags);
    });
  const merge = mergeCommand(addGates, async (files, flags) => {
    const { judgeMerged } = await import('./mutate-run.ts');
    await judgeMerged(files, flags);
  });
  return command.addCommand(merge);
}

/** What a measurement is held to, and where it is written: of the merge of all shards too. */
function addGates(command: Command): Command {
  return addSearchFlags(command, ['min', 'maxBrittle', 'baseline', 'updateBaseline', 'report']);
}
