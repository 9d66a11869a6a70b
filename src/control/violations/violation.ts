import type { Reader } from '../../base/database/transaction.ts';
import type { FaultRule, RuleMatch } from '../../engine/faults/fault-rule.ts';

/** A place and time at which a violation can act, as `match` of a rule and `site` of an armed violation see it. */
export interface Occasion {
  /**
   * `POST /v1/music/generations`, `GET /v1/music/generations/{id}`, `event music.generation.failed`, `file audio/mpeg`,
   * `GET /cdn` for the errors of the CDN, and `ledger createSong` for a charge or refund of an operation.
   */
  site: string;
  accountId: string;
  path: string;
  method?: string | undefined;
  model?: string | null | undefined;
  take?: number | null | undefined;
  event?: string | undefined;
  contentType?: string | undefined;
}

export type Json = Record<string, unknown>;

export interface Answer {
  status: number;
  headers: Readonly<Record<string, string | number | readonly string[]>>;
  /** The JSON of the answer; undefined where `bytes` are sent. */
  body: unknown;
  text?: string;
  bytes?: Buffer;
  /** Sent in chunks, without its length. */
  isChunked?: boolean;
}

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function without(value: Json, names: readonly string[]): Json {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
}

/** A violation about the JSON object of answers with one of these statuses; of all answers of 2xx unless given. */
export function onBody(change: (body: Json, request: RequestDetails, answer: Answer) => Json | undefined): Actor {
  return {
    answer(answer, request) {
      if (answer.status >= 300 || !isJson(answer.body)) return undefined;
      const body = change(answer.body, request, answer);
      return body && { ...answer, body };
    },
  };
}

/** What is known of the request beside its answer. Nothing here may be changed. */
export interface RequestDetails extends Occasion {
  /** The operationId; undefined for a read of the CDN. */
  operation: string | undefined;
  query: Readonly<Record<string, unknown>>;
  baseUrl: string;
  /** The time of the emulator, in milliseconds. */
  now: number;
  db: Reader;
  /** What a violation remembers between the answers of one account: it ends with the violation. */
  memory: Map<string, number>;
}

/** An event as it is signed and sent. */
export interface EventEnvelope {
  id: string;
  type: string;
  created: number;
  data: Json;
}

export interface EventDetails extends Occasion {
  jobId: string | null;
  wants(type: string): boolean;
  requestId: string | null;
  db: Reader;
}

/**
 * How a violation acts on answers and events. Each function is pure, and answers the changed value, or undefined where the violation
 * cannot act: the same functions decide in a baseline run where a violation could have acted, and on what a violation acts.
 */
export interface Actor {
  answer?(answer: Answer, request: RequestDetails): Answer | undefined;
  /** The events of a stream, without `[DONE]`. */
  stream?(chunks: readonly Json[], request: RequestDetails): readonly Json[] | undefined;
  /** `none`: the event is not sent. */
  event?(envelope: EventEnvelope, facts: EventDetails): EventEnvelope | 'none' | undefined;
}

export type Actors = ReadonlyMap<string, Actor>;

export function onError(change: (answer: Answer, error: Json) => Answer | undefined): Actor {
  return {
    answer(answer) {
      const error = answer.status >= 400 && isJson(answer.body) ? answer.body.error : undefined;
      return isJson(error) ? change(answer, error) : undefined;
    },
  };
}

/** A violation or a compatible change that a run arms: it acts until the next call of `arm`, whatever the suite does. */
export interface ArmedViolation {
  /** Under which `acted` reports it. */
  id: string;
  /** The name of a violation of `GET /_emulator/violations`, or of a compatible change. */
  violation: string;
  /** The one site at which it acts, as `reached` names it; without it all of them. */
  site?: string;
  /** Whose requests it changes: those of one account, or of all accounts of a unit; without both, everybody's. */
  account_id?: string;
  unit?: string;
}

export interface ActiveViolation {
  readonly id: string;
  readonly name: string;
  readonly site: string | undefined;
  readonly accountId: string | undefined;
  readonly unit: string | undefined;
  readonly match: RuleMatch;
  readonly rule: FaultRule | undefined;
  left: number;
  /** How often it could act, by account: for `match.nth`. */
  readonly seen: Map<string, number>;
  readonly memory: Map<string, number>;
}

type Given = Pick<ActiveViolation, 'id' | 'name' | 'site' | 'accountId' | 'unit' | 'match'>;

export function active(given: Given, rule?: FaultRule): ActiveViolation {
  const left = !rule || rule.times === 0 ? Number.POSITIVE_INFINITY : rule.times - rule.applied;
  return { ...given, rule, left, seen: new Map(), memory: new Map() };
}

export function ofRule(rule: FaultRule): ActiveViolation {
  const { id, effect, match } = rule;
  const { violation: name = effect.compatible_change ?? '' } = effect;
  return active({ id, name, site: undefined, accountId: match.account_id, unit: undefined, match }, rule);
}

export function isAt({ site, match }: ActiveViolation, occasion: Occasion): boolean {
  if (site !== undefined) return site === occasion.site;
  const { path, method, model, take, event, content_type: type } = match;
  if (path !== undefined && !occasion.path.startsWith(path)) return false;
  if (method !== undefined && method !== occasion.method) return false;
  if (model !== undefined && model !== occasion.model) return false;
  if (take !== undefined && take !== occasion.take) return false;
  if (event !== undefined && event !== occasion.event) return false;
  return type === undefined || (occasion.contentType ?? '').startsWith(type);
}
