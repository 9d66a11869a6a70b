import { CommandEnd, EXIT } from './process-end.ts';
import { jsonOf, numberOf, oneOf, type Shown, type Verb, type VerbWords } from './resource-command.ts';

export const ID = ['<id>', 'its id'] as const;
export const asJson = (record: Shown) => JSON.stringify(record, null, 2);

const ruleLine = ({ id, match, effect, strikes, times }: Shown) =>
  `${id}  ${JSON.stringify(match)} -> ${JSON.stringify(effect)}  used ${strikes} of ${times || 'any number of'} times`;
const fixtureLine = ({ id, match, file }: Shown) => `${id}  ${JSON.stringify(match)}${file ? `  ${file}` : ''}`;

export const FAULT: readonly Verb[] = [
  {
    verb: 'add',
    description: 'have requests fail: svc-emulator fault add \'{"status": 503}\' --path /v1/music',
    operation: 'createFault',
    argument: ['<effect>', 'the effect as JSON, or the path of a file that holds it'],
    flags: [
      ['--path <prefix>', 'matches paths that begin so'],
      ['--model <id>', 'matches this model only'],
      ['--contains <text>', 'matches requests that contain this text'],
      ['--account <id>', 'matches this account only'],
      ['--match <json>', 'all of the match as JSON, in place of these flags'],
      ['--times <number>', 'how often it applies; 0 until it is removed (default: 1)'],
      ['--probability <share>', 'the chance that it applies, up to 1'],
      ['--ttl <seconds>', "seconds of the emulator's clock that it lives"],
    ],
    input: ({ name, flags }) => ({
      match: matchOf(flags),
      effect: jsonOf(name, 'The effect'),
      times: numberOf(flags, 'times'),
      probability: numberOf(flags, 'probability'),
      ttl_seconds: numberOf(flags, 'ttl'),
    }),
    line: ruleLine,
  },
  {
    verb: 'list',
    description: 'fault rules, newest first',
    operation: 'listFaults',
    flags: [['--account <id>', 'those of this account', 'account_id']],
    line: ruleLine,
  },
  {
    verb: 'show',
    description: 'one rule, whole',
    operation: 'listFaults',
    argument: ['<id>', 'its id'],
    input: () => ({}),
    answer: (words, answered) => oneOf(answered, words, 'fault rule'),
    line: (rule) => JSON.stringify(rule, null, 2),
  },
  {
    verb: 'remove',
    description: 'take a rule away; all takes away every one',
    operation: ({ name }) => (name === 'all' ? 'deleteFaults' : 'deleteFault'),
    argument: ['<id>', 'the id of a rule, or all'],
    input: ({ name }) => (name === 'all' ? {} : { id: name }),
    answer: ({ name }) => ({ id: name }),
    line: ({ id }) => `Removed ${id}.`,
  },
];

/** What the flags match. Throws where one of them would be ignored. */
function matchOf({ match, path, model, contains, account }: VerbWords['flags']): Shown {
  if (match === undefined) return { path, model, contains, account_id: account };
  const beside = Object.entries({ path, model, contains, account }).find(([, value]) => value !== undefined);
  if (!beside) return jsonOf(String(match), '--match');
  throw new CommandEnd(
    EXIT.wrongUse,
    `--match is given beside --${beside[0]}; expected one or the other: put it into the JSON of --match.`,
  );
}

export const FIXTURE: readonly Verb[] = [
  {
    verb: 'add',
    description: 'add scripted answers before those there are',
    operation: 'addFixtures',
    argument: ['<file>', 'a file of them, or their JSON'],
    input: ({ name }) => jsonOf(name, 'The file'),
    line: fixtureLine,
  },
  {
    verb: 'list',
    description: 'scripted answers, in the order in which they are asked',
    operation: 'listFixtures',
    line: fixtureLine,
  },
  {
    verb: 'show',
    description: 'one of them, whole',
    operation: 'listFixtures',
    argument: ID,
    input: () => ({}),
    answer: (words, answered) => oneOf(answered, words, 'fixture'),
    line: asJson,
  },
  {
    verb: 'remove',
    description: 'take all of them away that were added',
    operation: 'removeFixtures',
    answer: () => ({ removed: 'all' }),
    line: () => 'Removed what was added; the files of --fixtures stay.',
  },
];
