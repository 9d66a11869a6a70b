import { Command, InvalidArgumentError } from 'commander';
import { gathered, readNumber } from '../config-flags.ts';

const NOTES = `
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
    .option('--report <file>', 'writes the report: .json, .html, .md or .xml (JUnit) (repeatable)', gathered)
    .addHelpText('after', NOTES)
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
