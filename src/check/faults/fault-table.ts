import type { WireInput } from '../../control/call-operation.ts';
import { CHANGE_DESCRIPTIONS, type CompatibleChange } from '../../engine/faults/compatible-changes.ts';
import { type DeliveryFault, deliveryFaultDefinition } from '../../engine/faults/delivery-fault-table.ts';
import type { Site, SiteKind } from './site.ts';

type Effect = WireInput<'createFault'>['effect'];

export type FaultAction =
  | { effect: Effect; times?: number }
  | { hold: 'answer' }
  | { kill: 'before' | 'during' | 'after' };

export interface Fault {
  name: string;
  at: readonly SiteKind[];
  /** Failures in the same words under faults of one family can count as one cause. */
  family: string;
  words: string;
  act(site: Site): FaultAction;
  allows?(site: Site): boolean;
  isOutcome?: true;
  isAlone?: true;
}

const REQUEST = ['order', 'call', 'stream', 'write'] as const;
const ASKED = [...REQUEST, 'read'] as const;
const REACHING = [...ASKED, 'delivery', 'cdn'] as const;

const effect = (of: Effect) => () => ({ effect: of });
const always = (of: Effect) => () => ({ effect: of, times: 0 });
const kill = (moment: 'before' | 'during' | 'after') => () => ({ kill: moment });
const hold = () => ({ hold: 'answer' as const });

const TRAVEL: readonly Fault[] = [
  {
    ...row('lost_response', ASKED, 'answer', ['is done, and its response is lost', effect({ lost_response: true })]),
    allows: isDone,
  },
  delivered('duplicate', 'again'),
  delivered('reorder', 'later', { allows: ({ traits }) => traits.followed === true }),
  {
    ...row('instant', ['job', 'take'], 'job', [
      'is final, and its event delivered, before the response to its order',
      effect({ job: 'instant' }),
    ]),
    allows: isAnnounced,
  },
  delivered('twin', 'again'),
  delivered('drop', 'later', { name: 'lost' }),
  row('kill:during', REACHING, 'kill', ['is under way when the app is killed and started again', kill('during')]),
  refusal(503, [...ASKED, 'cdn']),
  delivered('forged', 'forgery'),
  refusal(429, REQUEST),
  row('cut:middle', ['stream'], 'cut', ['is cut in the middle', cutAt((events) => Math.ceil(events / 2))]),
  row('wrong_type', ['cdn'], 'type', [
    'is served with a wrong Content-Type',
    effect({ cdn: { content_type: 'text/html' } }),
  ]),
  {
    ...row('flipped', ['cdn'], 'file', ['has one wrong byte', effect({ cdn: { flip_bytes: 1 } })]),
    allows: ({ traits }) => traits.checksums === true,
  },
  row('truncated', ['cdn'], 'file', ['ends in the middle of the file', effect({ cdn: { truncate_at: 1000 } })]),
  {
    ...row('empty_balance', ['order', 'call', 'stream'], 'balance', [
      'returns 402, as if the credits had run out',
      effect({ status: 402 }),
    ]),
    allows: ({ match }) => match.path?.startsWith('/hooks/') !== true,
  },
  {
    ...row('expired', ['cdn'], 'url', ['finds that its URL has expired', effect({ cdn: { expired: true } })]),
    allows: ({ traits }) => traits.permanent !== true,
  },
  row('cut:before_done', ['stream'], 'cut', ['is cut before [DONE]', cutAt((events) => events)]),
  refusal(500, ASKED),
  delivered('replayed', 'age'),
  delivered('spelled', 'proof'),
  delivered('resent', 'again'),
  {
    ...row('lost_request', REQUEST, 'answer', ['is lost on its way, before anything is done', effect({ drop: true })]),
    allows: isDone,
  },
  row('kill:after', REACHING, 'kill', ['has just ended when the app is killed and started again', kill('after')]),
  row('kill:before', REACHING, 'kill', ['is about to begin when the app is killed and started again', kill('before')]),
  row('cut:first', ['stream'], 'cut', ['is cut after its first event', cutAt(() => 1)]),
  delivered('after_all', 'later', { name: 'late' }),
  {
    ...row('swapped', ASKED, 'order', ['ends after the next one', effect({ swap: true })]),
    allows: ({ traits }) => traits.overlaps === true,
  },
  {
    ...row('unpolled', ['job', 'take'], 'job', [
      'stays in processing until its event was delivered',
      effect({ job: 'unpolled' }),
    ]),
    allows: isAnnounced,
  },
  {
    ...row('late', ['job', 'take'], 'job', ['is final only at the fourth read, or after 3 s', effect({ job: 'late' })]),
    allows: isPolled,
  },
  {
    ...row('late_end', ['job'], 'end', [
      'ends only after the client has stopped reading it for a while',
      effect({ job: 'late_end' }),
    ]),
    allows: (site) => isPolled(site) && site.traits.read === true,
    isAlone: true,
  },
  {
    ...row('slow', REQUEST, 'answer', ['is done, and its response waits until the client hangs up', hold]),
    allows: isDone,
  },
  delivered('unknown_type', 'stranger'),
  delivered('two_proofs', 'proof'),
];

const SOME_TAKES = [1, 2] as const;

const OUTCOMES: readonly Fault[] = [
  ...SOME_TAKES.map(
    (take): Fault => ({
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
  at: readonly SiteKind[],
  family: string,
  [words, act]: [words: string, act: (site: Site) => FaultAction],
): Fault {
  return { name, at, family, words, act };
}

/** A refusal does not apply to a client that hangs up before the response, because the client would not learn of it. */
function refusal(code: number, at: readonly SiteKind[]): Fault {
  const act = effect({ status: code, ...(code === 500 ? {} : { retry_after: 1 }) });
  return {
    ...row(`status:${code}`, at, 'refusal', [`returns ${code} before any work`, act]),
    allows: ({ traits }) => traits.left !== true,
  };
}

/** False for a job of a synchronous order, which has ended when the response is sent. */
function isPolled({ traits }: Site): boolean {
  return traits.synchronous !== true;
}

function isAnnounced(site: Site): boolean {
  return isPolled(site) && site.traits.announced === true;
}

/**
 * False if the service refuses the request without a fault too: the test of that refusal cannot pass without the
 * response.
 */
function isDone({ traits }: Site): boolean {
  return traits.refused !== true;
}

/**
 * `unknown_type` applies to the endpoint, because it first sends another event. The other faults apply to a delivery.
 */
function delivered(fault: DeliveryFault, family: string, more: Partial<Fault> = {}): Fault {
  const at = family === 'stranger' ? (['endpoint'] as const) : (['delivery'] as const);
  return { ...row(fault, at, family, [deliveryFaultDefinition(fault).seen, effect({ webhook: fault })]), ...more };
}

function outcome(name: string, code: string, words: string): Fault {
  const act = () => ({ effect: { fail_job: code } });
  return { name, at: ['job'], family: 'outcome', words, act, isOutcome: true };
}

function cutAt(eventOf: (events: number) => number) {
  return ({ traits }: Site): FaultAction => ({
    effect: { stream: { cut_after: Math.max(1, eventOf(traits.events ?? 1)) } },
  });
}

const CHANGES = Object.entries(CHANGE_DESCRIPTIONS).map(([name, words]) =>
  row(name, ['responses'], 'change', [`change: ${words}`, always({ change: name as CompatibleChange })]),
);
export const RESPONSE_CHANGE_NAMES: readonly string[] = CHANGES.map(({ name }) => name);

export const FAULTS: readonly Fault[] = [...OUTCOMES, ...TRAVEL, ...CHANGES];

export function canFaultOccurAtSite(fault: Fault, site: Site): boolean {
  return fault.at.includes(site.kind) && (fault.allows?.(site) ?? true);
}

export const FAULT_NAMES: readonly string[] = [...new Set(FAULTS.map(({ name }) => name))];
