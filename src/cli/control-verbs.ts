import type { WireAnswer } from '../control/call-operation.ts';
import type { ControlConnection } from '../control/control-connection.ts';
import { CommandEnd, EXIT } from './process-end.ts';
import { jsonOf, numberOf, oneOf, type Shown, type Verb, type VerbGroup, type VerbWords } from './resource-command.ts';

const ID = ['<id>', 'its id'] as const;
const asJson = (record: Shown) => JSON.stringify(record, null, 2);

const ruleLine = ({ id, match, effect, strikes, times }: Shown) =>
  `${id}  ${JSON.stringify(match)} -> ${JSON.stringify(effect)}  used ${strikes} of ${times || 'any number of'} times`;
const fixtureLine = ({ id, match, file }: Shown) => `${id}  ${JSON.stringify(match)}${file ? `  ${file}` : ''}`;

const FAULT: readonly Verb[] = [
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

const FIXTURE: readonly Verb[] = [
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

/** The first account that the emulator made, where a flag names none. */
async function firstAccount(control: ControlConnection) {
  return (await control.call('listAccounts')).data.at(-1);
}

const accountLine = ({ id, plan, role, credits, name }: Shown) =>
  `${id}  ${plan} ${role}  ${credits} credits  ${name ?? ''}`;

const ACCOUNT: readonly Verb[] = [
  {
    verb: 'add',
    description: 'open an account; its key is shown once',
    operation: 'createAccount',
    flags: [
      ['--name <name>', 'what it is called'],
      ['--plan <plan>', 'payg, hobby, creator or studio'],
      ['--role <role>', 'owner, admin or member'],
      ['--credits <number>', 'its balance (default: 50)'],
      ['--workspace <id>', 'the workspace that it joins (default: one of its own)', 'workspace_id'],
    ],
    line: ({ id, api_key: key }) => `${id}  ${key}`,
  },
  { verb: 'list', description: 'accounts, newest first', operation: 'listAccounts', line: accountLine },
  { verb: 'show', description: 'one account', operation: 'showAccount', argument: ID, line: accountLine },
];

const KEYS: readonly Verb[] = [
  {
    verb: 'create',
    description: 'make one more API key and show it, once',
    operation: 'addKey',
    flags: [['--account <id>', 'the account it speaks for (default: the first one)']],
    input: async ({ flags }, control) => ({ id: flags.account ?? (await firstAccount(control))?.id }),
    line: ({ api_key: key }) => String(key),
  },
];

const snapshotName = ['<name>', '1 to 64 letters, digits, dots, dashes and underscores'] as const;

const SNAPSHOT: readonly Verb[] = [
  {
    verb: 'save',
    description: 'keep the whole state under a name',
    operation: 'saveSnapshot',
    argument: snapshotName,
    answer: ({ name }) => ({ name }),
    line: ({ name }) => `Saved as ${name}; svc-emulator snapshot load ${name} goes back to it.`,
    progress: 'snapshot save',
  },
  {
    verb: 'load',
    description: 'go back to what was saved',
    operation: 'restoreSnapshot',
    argument: snapshotName,
    answer: ({ name }) => ({ name }),
    line: ({ name }) => `Back at ${name}.`,
    progress: 'snapshot load',
  },
  {
    verb: 'remove',
    description: 'forget what was saved',
    operation: 'removeSnapshot',
    argument: snapshotName,
    line: ({ name }) => `Removed ${name}.`,
    progress: 'snapshot remove',
  },
  {
    verb: 'list',
    description: 'what was saved, newest first',
    operation: 'listSnapshots',
    line: ({ name, created }) => `${created}  ${name}`,
  },
];

const flowLine = ({ id, name, hook_url: hook }: Shown) => `${id}  ${name}  ${hook}`;
const runLine = ({ id, status, credits }: Shown) => `${id}  ${status}  ${credits ?? 0} credits`;

const FLOW: readonly Verb[] = [
  {
    verb: 'add',
    description: 'make a flow',
    operation: 'createFlow',
    argument: ['<file>', 'a file with its name and steps, or their JSON'],
    flags: [
      ['--workspace <id>', 'the workspace it belongs to (default: the first one)'],
      ['--account <id>', "the account that pays (default: the workspace's owner)"],
    ],
    input: async ({ name, flags }, control) => {
      const workspace = flags.workspace ?? (await firstAccount(control))?.workspace_id;
      return { workspace_id: workspace, account_id: flags.account, ...jsonOf(name, 'The file') };
    },
    line: flowLine,
  },
  { verb: 'list', description: 'flows, newest first', operation: 'listFlows', line: flowLine },
  { verb: 'show', description: 'one flow, whole', operation: 'showFlow', argument: ID, line: asJson },
  {
    verb: 'remove',
    description: 'take a flow away',
    operation: 'removeFlow',
    argument: ID,
    line: ({ id }) => `Removed ${id}.`,
  },
  {
    verb: 'run',
    description: 'start a run of a flow',
    operation: 'startRun',
    argument: ['<id>', "the flow's id"],
    flags: [['--inputs <json>', 'its inputs: a JSON object, or the path of a file that holds one']],
    line: runLine,
  },
  {
    verb: 'click',
    description: 'answer a run that waits on a post',
    operation: 'clickRun',
    argument: ['<run>', "the run's id"],
    flags: [['--reject', 'reject it instead of approving it']],
    input: ({ name, flags }) => ({ id: name, choice: flags.reject ? 'reject' : 'approve' }),
    line: runLine,
  },
  {
    verb: 'cancel',
    description: 'end a run',
    operation: 'cancelRun',
    argument: ['<run>', "the run's id"],
    line: runLine,
  },
];

const RESET: Verb = {
  verb: 'reset',
  description: 'bring a running emulator back to its first state',
  operation: 'resetEmulator',
  answer: () => ({ reset: true }),
  line: () => 'Back to the first state; snapshots are kept.',
  progress: 'reset',
};

const WAIT: Verb = {
  verb: 'wait',
  description: 'wait for a condition; returns at once if it already holds, exits 1 on timeout',
  operation: 'waitFor',
  argument: ['<for>', 'job:ID, run:ID, event:TYPE, delivery:TYPE, inbox:NAME or idle'],
  flags: [
    ['--timeout <seconds>', 'how long, at most 600 (default: 10)'],
    ['--account <id>', 'events, deliveries and idleness of this account only', 'account_id'],
    ['--after <id>', 'what comes after this event, delivery or message'],
  ],
  line: ({ for: what, id, status }) => [id ?? what, status].filter(Boolean).join('  '),
};

const TRIGGER: Verb = {
  verb: 'trigger',
  description: 'send a test event to subscribed endpoints',
  operation: 'triggerEvent',
  argument: ['<type>', 'an event type, such as music.generation.succeeded'],
  flags: [
    ['--workspace <id>', 'the workspace whose endpoints receive it (default: the first one)', 'workspace_id'],
    ['--data <json>', 'the data of the event (default: that of an example)'],
  ],
  line: ({ id }) => String(id),
};

const EXPLAIN: Verb = {
  verb: 'explain',
  description: 'explain step by step what happened to a request',
  operation: 'explainRequest',
  argument: ['<id>', 'the x-request-id of its answer, such as req_0123456789ab0000001'],
  line: (record) => {
    const { summary, steps } = record as unknown as Explanation;
    return [summary, '', ...steps.flatMap(stepLines)];
  },
};

type Explanation = WireAnswer<'explainRequest'>;

/** The width of the longest name of a step, and two spaces. */
const MARGIN = 12;

function stepLines({ step, text, rules, fixtures }: Explanation['steps'][number]): string[] {
  return [`${step.padEnd(MARGIN)}${text}`, ...[rules, fixtures].flatMap(reasonLines)];
}

/** Of rules and scripted answers that did not apply: why. */
function reasonLines(considered: unknown): string[] {
  if (!Array.isArray(considered)) return [];
  return considered
    .filter(({ why }) => Array.isArray(why))
    .map(({ id, why }) => `${' '.repeat(MARGIN)}${id}: ${why.join('; ')}.`);
}

const clockLine = ({ now, frozen }: Shown) => `${now}${frozen ? '  frozen' : ''}`;

const CLOCK: readonly Verb[] = [
  { verb: 'show', description: 'its time', operation: 'getClock', line: clockLine },
  {
    verb: 'set',
    description: 'set its time',
    operation: 'setClock',
    argument: ['<time>', 'ISO 8601, such as 2030-01-01T00:00:00Z', 'now'],
    line: clockLine,
  },
  {
    verb: 'advance',
    description: 'move it on, and wait for all that thereby falls due',
    operation: 'advanceClock',
    argument: ['<span>', 'such as 8d, 12h, 30m, 90s or 1d12h'],
    input: ({ name }) => ({ seconds: spanOf(name) }),
    line: clockLine,
  },
  {
    verb: 'freeze',
    description: 'stop it where it is',
    operation: 'setClock',
    input: () => ({ frozen: true }),
    line: clockLine,
  },
  {
    verb: 'unfreeze',
    description: 'let it run on',
    operation: 'setClock',
    input: () => ({ frozen: false }),
    line: clockLine,
  },
];

/** Each in seconds. */
const UNITS: Readonly<Record<string, number>> = { d: 86_400, h: 3600, m: 60, s: 1 };

/** Seconds; a bare number is seconds. */
function spanOf(text: string): number {
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text);
  if (!/^(?:\d+[dhms])+$/.test(text)) {
    const given = JSON.stringify(text.slice(0, 40));
    throw new CommandEnd(EXIT.wrongUse, `The span is ${given}; expected one such as 8d, 12h, 30m, 90s or 1d12h.`);
  }
  return [...text.matchAll(/(?<!\d)(\d+)([dhms])/g)].reduce(
    (sum, [, number, unit = '']) => sum + Number(number) * (UNITS[unit] ?? 0),
    0,
  );
}

/** The commands that call operations of the control surface, by their names. */
export const VERBS = {
  account: { description: 'accounts of a running emulator', verbs: ACCOUNT },
  keys: { description: 'API keys of a running emulator', verbs: KEYS },
  snapshot: { description: 'save and restore the whole state of a running emulator', verbs: SNAPSHOT },
  fixture: { description: 'scripted answers of a running emulator', verbs: FIXTURE },
  flow: { description: 'flows of a running emulator', verbs: FLOW },
  reset: RESET,
  wait: WAIT,
  trigger: TRIGGER,
  explain: EXPLAIN,
  clock: { description: 'the clock of a running emulator', verbs: CLOCK },
  fault: { description: 'fault rules of a running emulator', verbs: FAULT },
} satisfies Record<string, Verb | VerbGroup>;
