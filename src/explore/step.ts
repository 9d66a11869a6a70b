/**
 * What a step is: `order` is a paid request that starts jobs, `call` one that is answered with its work, `stream` a chat
 * that is streamed, `write` an unpaid request that changes something, `read` a GET; `job` is an order's work, `take` one
 * take of it.
 */
export type StepKind =
  | 'order'
  | 'call'
  | 'stream'
  | 'write'
  | 'read'
  | 'job'
  | 'take'
  | 'delivery'
  | 'endpoint'
  | 'cdn';

/** Which requests a rule means that is bound to a step: `nth` counts those that fit the rest, from 1. */
export interface StepMatch {
  method?: string;
  path?: string;
  contains?: string;
  nth?: number;
  take?: number;
}

/** What decides which deviations a step allows. */
export interface StepTraits {
  /** Another request was in flight when its answer was. */
  overlaps?: boolean;
  /** Its content may be blocked. */
  moderated?: boolean;
  /** How many takes an order has. */
  takes?: number;
  /** Answered with its work: it can but fail. */
  synchronous?: boolean;
  /** An endpoint hears of its end. */
  announced?: boolean;
  /** Another delivery to the same endpoint comes after it. */
  followed?: boolean;
  /** The first delivery to an endpoint is about a job, not about a run. */
  tellsJob?: boolean;
  /** Events of a stream, without the last `[DONE]`. */
  events?: number;
}

/** One thing that the emulator did for a story, under a name that stays the same from run to run. */
export interface Step {
  name: string;
  kind: StepKind;
  /** What it concerns: orders, objects and endpoints by names of their own. Steps that share one are tried together first. */
  about: readonly string[];
  match: StepMatch;
  traits: StepTraits;
  /** The record of the run that it was read from: a request, a job or a delivery. */
  ref?: string | undefined;
}

/** `POST /v1/chat/completions` of `POST /v1/chat/completions #2`. */
export function withoutNumber(name: string): string {
  return name.replace(/ #\d+(?= |$)/, '');
}

/** 2 of `POST /v1/chat/completions #2`; 0 where there is none. */
export function numberIn(name: string): number {
  return Number(/ #(\d+)(?= |$)/.exec(name)?.[1] ?? 0);
}
