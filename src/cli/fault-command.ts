import type { Command } from 'commander';
import { CommandEnd } from './command-end.ts';
import { EXIT } from './command-failure.ts';
import { type Given, jsonOf, numberOf, oneOf, resourceCommand, type Shown } from './resource-command.ts';

const lineOf = ({ id, match, effect, strikes, times }: Shown) =>
  `${id}  ${JSON.stringify(match)} -> ${JSON.stringify(effect)}  struck ${strikes} of ${times || 'any number of'} times`;

/** `svc-emulator fault add|list|show|remove`: fault rules of a running emulator. */
export function faultCommand(): Command {
  return resourceCommand('fault', 'fault rules of a running emulator', [
    {
      verb: 'add',
      description: 'have requests fail: svc-emulator fault add \'{"status": 503}\' --path /v1/music',
      argument: ['<effect>', 'the effect as JSON, or the path of a file that holds it'],
      flags: [
        ['--path <prefix>', 'strikes paths that begin so'],
        ['--model <id>', 'strikes this model only'],
        ['--contains <text>', 'strikes requests in which this text stands'],
        ['--account <id>', 'strikes this account only'],
        ['--match <json>', 'all of the match as JSON, in place of these flags'],
        ['--times <number>', 'how often it strikes; 0 until it is removed (default: 1)'],
        ['--probability <share>', 'the chance of a strike, up to 1'],
        ['--ttl <seconds>', "seconds of the emulator's clock that it lives"],
      ],
      act: (control, { name, flags }) => {
        const match = matchOf(flags);
        const bounds = { times: numberOf(flags, 'times'), probability: numberOf(flags, 'probability') };
        const order = { match, effect: jsonOf(name, 'The effect'), ...bounds, ttl_seconds: numberOf(flags, 'ttl') };
        return control.post('/faults', order);
      },
      line: lineOf,
    },
    {
      verb: 'list',
      description: 'fault rules, newest first',
      flags: [['--account <id>', 'those of this account']],
      act: (control, { flags }) => control.list<Shown>('/faults', { account_id: text(flags.account) }),
      line: lineOf,
    },
    {
      verb: 'show',
      description: 'one rule, whole',
      argument: ['<id>', 'its id'],
      act: (control, { name }) => oneOf(control, { path: '/faults', name, what: 'fault rule' }),
      line: (rule) => JSON.stringify(rule, null, 2),
    },
    {
      verb: 'remove',
      description: 'take a rule away; all takes away every one',
      argument: ['<id>', 'the id of a rule, or all'],
      act: async (control, { name }) => {
        await control.delete(name === 'all' ? '/faults' : `/faults/${encodeURIComponent(name)}`);
        return { id: name };
      },
      line: ({ id }) => `Removed ${id}.`,
    },
  ]);
}

/** What the flags match. Throws where one of them would be passed over. */
function matchOf({ match, path, model, contains, account }: Given['flags']): Shown {
  const flags = { path, model, contains, account_id: account };
  if (match === undefined) return flags;
  const beside = Object.entries({ path, model, contains, account }).find(([, value]) => value !== undefined);
  if (!beside) return jsonOf(String(match), '--match');
  throw new CommandEnd(
    EXIT.wrongUse,
    `--match stands beside --${beside[0]}; expected one or the other: put it into the JSON of --match.`,
  );
}

function text(flag: string | boolean | undefined): string | undefined {
  return typeof flag === 'string' ? flag : undefined;
}
