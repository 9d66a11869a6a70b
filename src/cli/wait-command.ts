import type { Command } from 'commander';
import { numberOf, type Shown, verbCommand } from './resource-command.ts';

/** `svc-emulator wait job:ID|run:ID|event:TYPE|delivery:TYPE|inbox:NAME|idle`: until it is so. */
export function waitCommand(): Command {
  return verbCommand({
    verb: 'wait',
    description: 'wait until something is so, at once when it already is; exit code 1 when it is not in time',
    argument: ['<for>', 'job:ID, run:ID, event:TYPE, delivery:TYPE, inbox:NAME or idle'],
    flags: [
      ['--timeout <seconds>', 'how long, at most 600 (default: 10)'],
      ['--account <id>', 'events, deliveries and idleness of this account only'],
      ['--after <id>', 'what comes after this event, delivery or message'],
    ],
    act: (control, { name, flags }) =>
      control.get('/wait', {
        for: name,
        timeout: numberOf(flags, 'timeout'),
        account_id: flags.account as string | undefined,
        after: flags.after as string | undefined,
      }),
    line: ({ for: what, id, status }: Shown) => [id ?? what, status].filter(Boolean).join('  '),
  });
}
