import type { OperationName, WireAnswer } from '../control/call-operation.ts';
import type { ControlConnection } from '../control/control-connection.ts';
import { CommandEnd, EXIT } from './process-end.ts';
import { type Fields, jsonOf, type Verb, type VerbGroup } from './resource-command.ts';

const ID = ['<id>', 'its id'] as const;
const SNAPSHOT_NAME = ['<name>', '1 to 64 letters, digits, dots, dashes and underscores'] as const;
const RUN = ['<run>', "the run's id"] as const;

const asJson = (record: Fields) => JSON.stringify(record, null, 2);
const removed = ({ id, name }: Fields) => `Removed ${id ?? name}.`;
const runLine = ({ id, status, credits }: Fields) => `${id}  ${status}  ${credits ?? 0} credits`;

/** Shows one record of a resource that the control surface only lists; `what` is called as its command begins. */
function fromList(operation: OperationName, what: string, description: string): Verb {
  return {
    description,
    operation,
    argument: ID,
    input: () => ({}),
    answer({ id }, answered) {
      const found = (answered as { data: Fields[] }).data.find((each) => each.id === id);
      if (found) return found;
      const lists = `svc-emulator ${what.split(' ')[0]} list shows those there are.`;
      throw new CommandEnd(EXIT.failure, `There is no ${what} ${JSON.stringify(id)}; ${lists}`);
    },
    line: asJson,
  };
}

/** The first account that the emulator made, where a flag names none. */
async function firstAccount(control: ControlConnection) {
  return (await control.call('listAccounts')).data.at(-1);
}

/** What the flags match. Throws where one of them would be ignored. */
function matchOf(match: unknown, flags: Fields): unknown {
  const [beside] = Object.keys(flags).filter((field) => flags[field] !== undefined);
  if (match === undefined) return flags;
  if (beside === undefined) return match;
  throw new CommandEnd(
    EXIT.wrongUse,
    `--match is given beside --${beside.replace('_id', '')}; expected one or the other: put it into the JSON of --match.`,
  );
}

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
  account: {
    description: 'accounts of a running emulator',
    line: ({ id, plan, role, credits, name }) => `${id}  ${plan} ${role}  ${credits} credits  ${name ?? ''}`,
    verbs: {
      add: {
        description: 'open an account; its key is shown once',
        operation: 'createAccount',
        flags: {
          '--name <name>': 'what it is called',
          '--plan <plan>': 'payg, hobby, creator or studio',
          '--role <role>': 'owner, admin or member',
          '--credits <number>': 'its balance (default: 50)',
          '--workspace <id>': 'the workspace that it joins (default: one of its own)',
        },
        line: ({ id, api_key: key }) => `${id}  ${key}`,
      },
      list: { description: 'accounts, newest first', operation: 'listAccounts' },
      show: { description: 'one account', operation: 'showAccount', argument: ID },
    },
  },
  keys: {
    description: 'API keys of a running emulator',
    line: ({ api_key: key }) => String(key),
    verbs: {
      create: {
        description: 'make one more API key and show it, once',
        operation: 'addKey',
        flags: { '--account <id>': 'the account it speaks for (default: the first one)' },
        input: async ({ account_id: id }, control) => ({ id: id ?? (await firstAccount(control))?.id }),
      },
    },
  },
  snapshot: {
    description: 'save and restore the whole state of a running emulator',
    line: ({ name, created, damaged }) => (damaged ? `damaged               ${name}` : `${created}  ${name}`),
    verbs: {
      save: {
        description: 'keep the whole state under a name',
        operation: 'saveSnapshot',
        argument: SNAPSHOT_NAME,
        answer: (fields) => fields,
        line: ({ name }) => `Saved as ${name}; svc-emulator snapshot load ${name} goes back to it.`,
        isLong: true,
      },
      load: {
        description: 'go back to what was saved',
        operation: 'restoreSnapshot',
        argument: SNAPSHOT_NAME,
        answer: (fields) => fields,
        line: ({ name }) => `Back at ${name}.`,
        isLong: true,
      },
      remove: {
        description: 'forget what was saved',
        operation: 'removeSnapshot',
        argument: SNAPSHOT_NAME,
        line: removed,
        isLong: true,
      },
      list: { description: 'what was saved, newest first', operation: 'listSnapshots' },
    },
  },
  fixture: {
    description: 'scripted answers of a running emulator',
    line: ({ id, match, file }) => `${id}  ${JSON.stringify(match)}${file ? `  ${file}` : ''}`,
    verbs: {
      add: {
        description: 'add scripted answers before those there are',
        operation: 'addFixtures',
        argument: ['<file>', 'a file of them, or their JSON'],
        input: ({ file }) => jsonOf(file, 'The file'),
      },
      list: { description: 'scripted answers, in the order in which they are asked', operation: 'listFixtures' },
      show: fromList('listFixtures', 'fixture', 'one of them, whole'),
      remove: {
        description: 'take all of them away that were added',
        operation: 'removeFixtures',
        answer: () => ({ removed: 'all' }),
        line: () => 'Removed what was added; the files of --fixtures stay.',
      },
    },
  },
  flow: {
    description: 'flows of a running emulator',
    line: ({ id, name, hook_url: hook }) => `${id}  ${name}  ${hook}`,
    verbs: {
      add: {
        description: 'make a flow',
        operation: 'createFlow',
        argument: ['<file>', 'a file with its name and steps, or their JSON'],
        flags: {
          '--workspace <id>': 'the workspace it belongs to (default: the first one)',
          '--account <id>': "the account that pays (default: the workspace's owner)",
        },
        input: async ({ file, workspace_id: workspace, account_id }, control) => ({
          workspace_id: workspace ?? (await firstAccount(control))?.workspace_id,
          account_id,
          ...jsonOf(file, 'The file'),
        }),
      },
      list: { description: 'flows, newest first', operation: 'listFlows' },
      show: { description: 'one flow, whole', operation: 'showFlow', argument: ID, line: asJson },
      remove: { description: 'take a flow away', operation: 'removeFlow', argument: ID, line: removed },
      run: {
        description: 'start a run of a flow',
        operation: 'startRun',
        argument: ['<id>', "the flow's id"],
        flags: { '--inputs <json>': 'its inputs: a JSON object, or the path of a file that holds one' },
        line: runLine,
      },
      click: {
        description: 'answer a run that waits on a post',
        operation: 'clickRun',
        argument: RUN,
        flags: { '--reject': 'reject it instead of approving it' },
        input: ({ id, reject }) => ({ id, choice: reject ? 'reject' : 'approve' }),
        line: runLine,
      },
      cancel: { description: 'end a run', operation: 'cancelRun', argument: RUN, line: runLine },
    },
  },
  reset: {
    description: 'bring a running emulator back to its first state',
    operation: 'resetEmulator',
    answer: () => ({ reset: true }),
    line: () => 'Back to the first state; snapshots are kept.',
    isLong: true,
  },
  wait: {
    description: 'wait for a condition; returns at once if it already holds, exits 1 on timeout',
    operation: 'waitFor',
    argument: ['<for>', 'job:ID, run:ID, event:TYPE, delivery:TYPE, inbox:NAME or idle'],
    flags: {
      '--timeout <seconds>': 'how long, at most 600 (default: 10)',
      '--account <id>': 'events, deliveries and idleness of this account only',
      '--after <id>': 'what comes after this event, delivery or message',
    },
    line: ({ for: what, id, status }) => [id ?? what, status].filter(Boolean).join('  '),
  },
  trigger: {
    description: 'send a test event to subscribed endpoints',
    operation: 'triggerEvent',
    argument: ['<type>', 'an event type, such as music.generation.succeeded'],
    flags: {
      '--workspace <id>': 'the workspace whose endpoints receive it (default: the first one)',
      '--data <json>': 'the data of the event (default: that of an example)',
    },
    line: ({ id }) => String(id),
  },
  explain: {
    description: 'explain step by step what happened to a request',
    operation: 'explainRequest',
    argument: ['<id>', 'the x-request-id of its answer, such as req_0123456789ab0000001'],
    line(record) {
      const { summary, steps } = record as unknown as Explanation;
      return [summary, '', ...steps.flatMap(stepLines)];
    },
  },
  clock: {
    description: 'the clock of a running emulator',
    line: ({ now, frozen }) => `${now}${frozen ? '  frozen' : ''}`,
    verbs: {
      show: { description: 'its time', operation: 'getClock' },
      set: {
        description: 'set its time',
        operation: 'setClock',
        argument: ['<time>', 'ISO 8601, such as 2030-01-01T00:00:00Z'],
        input: ({ time: now }) => ({ now }),
      },
      advance: {
        description: 'move it on, and wait for all that thereby falls due',
        operation: 'advanceClock',
        argument: ['<span>', 'such as 8d, 12h, 30m, 90s or 1d12h'],
        input: ({ span }) => ({ seconds: spanOf(String(span)) }),
      },
      freeze: { description: 'stop it where it is', operation: 'setClock', input: () => ({ frozen: true }) },
      unfreeze: { description: 'let it run on', operation: 'setClock', input: () => ({ frozen: false }) },
    },
  },
  fault: {
    description: 'fault rules of a running emulator',
    line: ({ id, match, effect, strikes, times }) =>
      `${id}  ${JSON.stringify(match)} -> ${JSON.stringify(effect)}  used ${strikes} of ${times || 'any number of'} times`,
    verbs: {
      add: {
        description: 'have requests fail: svc-emulator fault add \'{"status": 503}\' --path /v1/music',
        operation: 'createFault',
        argument: ['<effect>', 'the effect as JSON, or the path of a file that holds it'],
        flags: {
          '--path <prefix>': 'matches paths that begin so',
          '--model <id>': 'matches this model only',
          '--contains <text>': 'matches requests that contain this text',
          '--account <id>': 'matches this account only',
          '--match <json>': 'all of the match as JSON, in place of these flags',
          '--times <number>': 'how often it applies; 0 until it is removed (default: 1)',
          '--probability <share>': 'the chance that it applies, up to 1',
          '--ttl <seconds>': "seconds of the emulator's clock that it lives",
        },
        input: ({ effect, match, path, model, contains, account_id, ...rest }) => ({
          match: matchOf(match, { path, model, contains, account_id }),
          effect: jsonOf(effect, 'The effect'),
          ...rest,
        }),
      },
      list: {
        description: 'fault rules, newest first',
        operation: 'listFaults',
        flags: { '--account <id>': 'those of this account' },
      },
      show: fromList('listFaults', 'fault rule', 'one rule, whole'),
      remove: {
        description: 'take a rule away; all takes away every one',
        operation: ({ id }) => (id === 'all' ? 'deleteFaults' : 'deleteFault'),
        argument: ['<id>', 'the id of a rule, or all'],
        input: ({ id }) => (id === 'all' ? {} : { id }),
        line: removed,
      },
    },
  },
} satisfies Record<string, Verb | VerbGroup>;
