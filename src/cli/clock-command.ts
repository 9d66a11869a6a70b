import type { Command } from 'commander';
import { secondsOf } from '../client/client-parts.ts';
import { CommandEnd } from './command-end.ts';
import { EXIT } from './command-failure.ts';
import { resourceCommand, type Shown } from './resource-command.ts';

const lineOf = ({ now, frozen }: Shown) => `${now}${frozen ? '  frozen' : ''}`;
const UNITS = { d: 'days', h: 'hours', m: 'minutes', s: 'seconds' } as const;

/** `svc-emulator clock show|set|advance|freeze|unfreeze`: the time of a running emulator. */
export function clockCommand(): Command {
  return resourceCommand('clock', 'the clock of a running emulator', [
    { verb: 'show', description: 'its time', act: (control) => control.get('/clock'), line: lineOf },
    {
      verb: 'set',
      description: 'set its time',
      argument: ['<time>', 'ISO 8601, such as 2030-01-01T00:00:00Z'],
      act: (control, { name }) => control.put('/clock', { now: name }),
      line: lineOf,
    },
    {
      verb: 'advance',
      description: 'move it on, and wait for all that thereby falls due',
      argument: ['<span>', 'such as 8d, 12h, 30m, 90s or 1d12h'],
      act: (control, { name }) => control.post('/clock/advance', { seconds: spanOf(name) }),
      line: lineOf,
    },
    {
      verb: 'freeze',
      description: 'stop it where it is',
      act: (control) => control.put('/clock', { frozen: true }),
      line: lineOf,
    },
    {
      verb: 'unfreeze',
      description: 'let it run on',
      act: (control) => control.put('/clock', { frozen: false }),
      line: lineOf,
    },
  ]);
}

/** Seconds; a bare number is seconds. */
function spanOf(text: string): number {
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text);
  if (!/^(?:\d+[dhms])+$/.test(text)) {
    throw new CommandEnd(
      EXIT.wrongUse,
      `The span is ${JSON.stringify(text.slice(0, 40))}; expected one such as 8d, 12h, 30m, 90s or 1d12h.`,
    );
  }
  return [...text.matchAll(/(?<!\d)(\d+)([dhms])/g)].reduce(
    (sum, [, number, unit]) => sum + secondsOf({ [UNITS[unit as keyof typeof UNITS]]: Number(number) }),
    0,
  );
}
