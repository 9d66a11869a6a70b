import { secondsOf } from '../client/client-parts.ts';
import { CommandEnd, EXIT } from './process-end.ts';
import type { Shown, Verb, VerbGroup } from './resource-command.ts';
import { FAULT } from './steering-verbs.ts';

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

/** The width of the longest name of a step, and two spaces. */
const MARGIN = 12;

/** What of an answer of `explain` is printed. */
interface Explanation {
  summary: string;
  steps: readonly { step: string; text: string; rules?: unknown; fixtures?: unknown }[];
}

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

const UNITS = { d: 'days', h: 'hours', m: 'minutes', s: 'seconds' } as const;

/** Seconds; a bare number is seconds. */
function spanOf(text: string): number {
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text);
  if (!/^(?:\d+[dhms])+$/.test(text)) {
    const given = JSON.stringify(text.slice(0, 40));
    throw new CommandEnd(EXIT.wrongUse, `The span is ${given}; expected one such as 8d, 12h, 30m, 90s or 1d12h.`);
  }
  return [...text.matchAll(/(?<!\d)(\d+)([dhms])/g)].reduce(
    (sum, [, number, unit]) => sum + secondsOf({ [UNITS[unit as keyof typeof UNITS]]: Number(number) }),
    0,
  );
}

/** The commands that act on the emulator as a whole, by their names. */
export const CONTROL_VERBS = {
  reset: RESET,
  wait: WAIT,
  trigger: TRIGGER,
  explain: EXPLAIN,
  clock: { description: 'the clock of a running emulator', verbs: CLOCK },
  fault: { description: 'fault rules of a running emulator', verbs: FAULT },
} satisfies Record<string, Verb | VerbGroup>;
