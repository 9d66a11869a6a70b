import { Command } from 'commander';
import { type Choice, readChoices } from '../package/choice-table.ts';
import type { LeanedChoice } from '../trace/leaned-choices.ts';
import { CommandEnd, EXIT } from './process-end.ts';
import { print } from './remote.ts';

interface ChoicesFlags {
  from?: string;
  json?: boolean;
}

/** `svc-emulator choices`: what the service leaves open, and what happens here; no emulator needs to run. */
export function choicesCommand(): Command {
  return new Command('choices')
    .description('print what the service leaves open, and what the emulator does there')
    .option('--from <file>', 'only those that a recorded run leans on, the most leaned on first: a trace or a journal')
    .option('--json', 'print JSON, for a script')
    .action(async ({ from, ...flags }: ChoicesFlags) => {
      if (from === undefined) {
        const data = readChoices();
        print(flags, { object: 'list', data }, data.map((choice) => inWords(choice)).join('\n'));
        return;
      }
      const data = await leanedOnIn(from);
      const lines = data.map((choice) => inWords(choice, howOften(choice)));
      print(flags, { object: 'list', data }, lines.join('\n') || 'This run leans on no choice.');
    });
}

async function leanedOnIn(file: string): Promise<LeanedChoice[]> {
  const { NoRecordedRun, readRecordedRun } = await import('../trace/recorded-run.ts');
  const { leanedChoices } = await import('../trace/leaned-choices.ts');
  try {
    return leanedChoices(readChoices(), readRecordedRun(file));
  } catch (error) {
    if (error instanceof NoRecordedRun) throw new CommandEnd(EXIT.wrongUse, error.message);
    throw error;
  }
}

function inWords({ id, area, open, here }: Choice, ...more: string[]): string {
  const plain = here.replaceAll(/\[([^[\]]{1,80})\]\([^()]{1,80}\)/g, '$1');
  return [`${id}  ${area}: ${open}`, `      ${plain}`, ...more.map((line) => `      ${line}`)].join('\n');
}

function howOften({ leaned: { times, by, operations } }: LeanedChoice): string {
  const what = by.length > 0 ? ` by ${by.join(', ')}` : '';
  const where = operations.length > 0 ? ` in ${operations.join(', ')}` : '';
  return `(met ${times === 1 ? 'once' : `${times} times`}${what}${where})`;
}
