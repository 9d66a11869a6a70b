import type { Step, StepKind } from './step.ts';

/** What carries a deviation out: the effect of a fault rule, a message that is held, or the end of the app's process. */
export type Act = { effect: Record<string, unknown> } | { hold: 'answer' } | { kill: 'before' | 'during' | 'after' };

/** One allowed change in how messages travel, in what the work comes to, or in the app's own life. */
export interface Deviation {
  /** As flags, tokens and reports call it. */
  name: string;
  at: readonly StepKind[];
  /** Kinds of which a finding keeps the mildest: those of one family stand in for each other, from mild to harsh. */
  family: string;
  /** What happens, in words that follow the step's name. */
  words: string;
  act(step: Step): Act;
  allows?(step: Step): boolean;
  /** Not promised by the specification: only when it is asked for. */
  isBeyond?: true;
  /** What the service's work comes to, rather than how it is told. */
  isOutcome?: true;
}

const REQUEST = ['order', 'call', 'stream', 'write'] as const;
const ASKED = [...REQUEST, 'read'] as const;
const REACHING = [...ASKED, 'delivery', 'cdn'] as const;

const effect = (given: Record<string, unknown>) => () => ({ effect: given });
const webhook = (word: string) => effect({ webhook: word });
const status = (code: number) => effect({ status: code, ...(code === 500 ? {} : { retry_after: 1 }) });

/** Deviations of how messages travel and of the app's life, those first that have found most in practice. */
const TRAVEL: readonly Deviation[] = [
  row('lost_answer', ASKED, 'answer', ['is done and charged, and its answer is lost', effect({ lost_answer: true })]),
  row('duplicate', ['delivery'], 'again', [
    'comes twice, the second after the first was answered',
    webhook('duplicate'),
  ]),
  {
    ...row('reorder', ['delivery'], 'later', ['comes after the next one to the same endpoint', webhook('reorder')]),
    allows: ({ traits }) => traits.followed === true,
  },
  {
    ...row('instant', ['job', 'take'], 'job', [
      'is final, and its event delivered, before its order is answered',
      effect({ job: 'instant' }),
    ]),
    allows: isPolled,
  },
  row('twin', ['delivery'], 'again', ['comes twice at the same time', webhook('twin')]),
  row('lost', ['delivery'], 'later', ['never comes', webhook('drop')]),
  row('kill:during', REACHING, 'kill', [
    'is under way when the app is killed and started again',
    () => ({
      kill: 'during',
    }),
  ]),
  row('status:503', [...ASKED, 'cdn'], 'refusal', ['is answered 503 before any work', status(503)]),
  row('forged', ['delivery'], 'proof', ['comes after a forged one of the same id', webhook('forged')]),
  row('status:429', REQUEST, 'refusal', ['is answered 429 before any work', status(429)]),
  row('cut:middle', ['stream'], 'cut', ['is cut in the middle', cutAt((events) => Math.ceil(events / 2))]),
  row('truncated', ['cdn'], 'file', ['ends in the middle of the file', effect({ cdn: { truncate_at: 1000 } })]),
  {
    ...row('foreign', ['endpoint'], 'stranger', ["hears first of another member's job", webhook('foreign')]),
    allows: ({ traits }) => traits.tellsJob === true,
  },
  {
    ...row('empty_balance', ['order', 'call', 'stream'], 'balance', [
      'is answered 402, as if the credits had run out',
      effect({ status: 402 }),
    ]),
    // Who starts a flow pays nothing there: its run fails where the credits have run out.
    allows: ({ match }) => match.path?.startsWith('/hooks/') !== true,
  },
  row('expired', ['cdn'], 'file', ['finds that its URL has expired', effect({ cdn: { expired: true } })]),
  row('cut:before_done', ['stream'], 'cut', ['is cut before [DONE]', cutAt((events) => events)]),
  row('status:500', ASKED, 'refusal', ['is answered 500 before any work', status(500)]),
  row('replayed', ['delivery'], 'proof', [
    'comes once more with its old signature, ten minutes old',
    webhook('replayed'),
  ]),
  row('spelled', ['delivery'], 'proof', ['comes as other bytes of the same JSON, rightly signed', webhook('spelled')]),
  row('resent', ['delivery'], 'again', ['comes again, signed anew', webhook('resent')]),
  row('lost_request', REQUEST, 'answer', ['is lost on its way, before anything is done', effect({ drop: true })]),
  row('kill:after', REACHING, 'kill', [
    'has just been answered when the app is killed and started again',
    () => ({
      kill: 'after',
    }),
  ]),
  row('kill:before', REACHING, 'kill', [
    'is about to begin when the app is killed and started again',
    () => ({
      kill: 'before',
    }),
  ]),
  row('cut:first', ['stream'], 'cut', ['is cut after its first event', cutAt(() => 1)]),
  row('late', ['delivery'], 'later', ['comes when all else is over', webhook('after_all')]),
  {
    ...row('swapped', ASKED, 'order', ['is answered after the next one', effect({ swap: true })]),
    allows: ({ traits }) => traits.overlaps === true,
  },
  {
    ...row('unpolled', ['job', 'take'], 'job', [
      'is processing for whoever reads it, until its event was answered',
      effect({ job: 'unpolled' }),
    ]),
    allows: (step) => isPolled(step) && step.traits.announced === true,
  },
  {
    ...row('late', ['job', 'take'], 'job', ['is final only at the fourth read, or after 3 s', effect({ job: 'late' })]),
    allows: isPolled,
  },
  row('slow', REQUEST, 'answer', [
    'is done and charged, and its answer is held until the client hangs up',
    () => ({
      hold: 'answer',
    }),
  ]),
  {
    ...row('unknown_type', ['endpoint'], 'stranger', [
      'hears first of a type that it does not know',
      webhook('unknown_type'),
    ]),
    isBeyond: true,
  },
  {
    ...row('two_proofs', ['delivery'], 'proof', ['carries two v1, the second one right', webhook('two_proofs')]),
    isBeyond: true,
  },
];

const SOME_TAKES = [1, 2] as const;

/** What the work comes to. */
const OUTCOMES: readonly Deviation[] = [
  ...SOME_TAKES.map(
    (take): Deviation => ({
      ...outcome(`take_fails:${take}`, 'render_failed', `fails in take ${take} alone`),
      allows: ({ traits }) => (traits.takes ?? 1) > 1 && take <= (traits.takes ?? 1),
    }),
  ),
  outcome('fails', 'render_failed', 'fails and is refunded'),
  {
    ...outcome('blocked', 'content_blocked', 'is blocked and refunded'),
    allows: ({ traits }) => traits.moderated === true && traits.synchronous !== true,
  },
];

function row(
  name: string,
  at: readonly StepKind[],
  family: string,
  [words, act]: [words: string, act: (step: Step) => Act],
): Deviation {
  return { name, at, family, words, act };
}

/** A job that was answered with its work has no end of its own: a rule for it would be refused. */
function isPolled({ traits }: Step): boolean {
  return traits.synchronous !== true;
}

function outcome(name: string, code: string, words: string): Deviation {
  const act = () => ({ effect: { fail_job: code } });
  return { name, at: ['job'], family: 'outcome', words, act, isOutcome: true };
}

function cutAt(eventOf: (events: number) => number) {
  return ({ traits }: Step): Act => ({ effect: { stream: { cut_after: Math.max(1, eventOf(traits.events ?? 1)) } } });
}

/** Every deviation, in the order in which they are tried. */
export const DEVIATIONS: readonly Deviation[] = [...OUTCOMES, ...TRAVEL];

/** From mild to harsh within each family: a finding is told with the mildest that still fails. */
const MILDNESS = [
  ...['status:429', 'status:503', 'status:500'],
  ...['lost_request', 'lost_answer'],
  ...['duplicate', 'resent', 'twin'],
  ...['reorder', 'late', 'lost'],
  ...['late', 'unpolled', 'instant'],
  ...['kill:before', 'kill:after', 'kill:during'],
  ...['cut:before_done', 'cut:middle', 'cut:first'],
  ...['spelled', 'two_proofs', 'replayed', 'forged'],
  ...['expired', 'truncated', 'status:503'],
  ...['take_fails:2', 'take_fails:1', 'fails', 'blocked'],
  ...['unknown_type', 'foreign'],
];

/** Whether a step allows it. */
export function allows(deviation: Deviation, step: Step): boolean {
  return deviation.at.includes(step.kind) && (deviation.allows?.(step) ?? true);
}

/** The deviation of that name at a step, if the step allows it. */
export function deviationAt(step: Step, name: string): Deviation | undefined {
  return DEVIATIONS.find((each) => each.name === name && allows(each, step));
}

/** Milder ones of the same family that the step allows, the mildest first. */
export function milder(deviation: Deviation, step: Step): Deviation[] {
  const order = (each: Deviation) => MILDNESS.indexOf(each.name);
  return DEVIATIONS.filter((each) => each.family === deviation.family && allows(each, step))
    .filter((each) => order(each) !== -1 && order(each) < order(deviation))
    .sort((a, b) => order(a) - order(b));
}

/** Each name once. */
export const DEVIATION_NAMES: readonly string[] = [...new Set(DEVIATIONS.map(({ name }) => name))];
